/// Whether memory grows and frames become slower in the course of time.
struct SoakTrend {
  private static let memoryInterval = Duration.milliseconds(50)
  private static let floorInterval = Duration.milliseconds(500)

  private var frames: [(time: Duration, cost: Duration)] = []
  /// The least resident memory of each half second: above it is what decoders take for a moment.
  private var floors: [Int] = []
  private var nextMemory = Duration.zero

  /// Takes a frame, and now and then looks at memory.
  ///
  /// - Parameters:
  ///   - cost: What the frame took.
  ///   - time: Since the beginning.
  /// - Throws: What the file system said of the process's own memory.
  mutating func add(frame cost: Duration, at time: Duration) throws {
    frames.append((time, cost))
    guard time >= nextMemory else { return }
    nextMemory = time + Self.memoryInterval
    add(resident: try ProcessMemory.now().resident, at: time)
  }

  /// Takes a reading of resident memory, in bytes.
  mutating func add(resident: Int, at time: Duration) {
    let interval = Int(time / Self.floorInterval)
    // An interval without a reading is as the one before.
    while floors.count < interval { floors.append(floors.last ?? resident) }
    if floors.count == interval {
      floors.append(resident)
    } else {
      floors[interval] = min(floors[interval], resident)
    }
  }

  /// Bytes by which the floor of resident memory grows in a minute, by least squares over the second
  /// half; 0 of less than two readings.
  var memoryGrowth: Double {
    // The last interval is not over yet.
    let half = floors.dropLast().suffix(max(2, floors.count / 2)).map(Double.init)
    guard half.count >= 2 else { return 0 }
    let middle = Double(half.count - 1) / 2
    let mean = half.reduce(0, +) / Double(half.count)
    var (product, square) = (0.0, 0.0)
    for (index, floor) in half.enumerated() {
      product += (Double(index) - middle) * (floor - mean)
      square += (Double(index) - middle) * (Double(index) - middle)
    }
    return product / square * (Duration.seconds(60) / Self.floorInterval)
  }

  /// p99 of the last quarter's frames less that of the second quarter's, in nanoseconds; 0 of fewer
  /// than eight frames.
  ///
  /// The first quarter fills the tiers.
  var p99Drift: Double {
    let quarter = frames.count / 4
    guard quarter >= 2 else { return 0 }
    func p99(_ frames: ArraySlice<(time: Duration, cost: Duration)>) -> Double {
      let sorted = frames.map(\.cost.nanoseconds).sorted()
      return Double(sorted[(sorted.count - 1) * 99 / 100])
    }
    return p99(frames.suffix(quarter)) - p99(frames[quarter..<2 * quarter])
  }
}
