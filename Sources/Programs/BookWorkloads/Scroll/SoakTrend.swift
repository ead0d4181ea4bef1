/// The trend of memory and frame times over a long run.
struct SoakTrend {
  private static let memoryInterval = Duration.milliseconds(50)
  private static let floorInterval = Duration.milliseconds(500)

  private var frames: [(time: Duration, cost: Duration)] = []
  /// The smallest resident memory of each half second, which excludes the temporary memory of
  /// decoders.
  private var floors: [Int] = []
  private var nextMemory = Duration.zero

  /// Adds the cost of a frame at a time since the beginning, and a reading of memory at intervals.
  mutating func add(frame cost: Duration, at time: Duration) throws {
    frames.append((time, cost))
    guard time >= nextMemory else { return }
    nextMemory = time + Self.memoryInterval
    add(resident: try ProcessMemory.now().resident, at: time)
  }

  /// Adds a reading of resident memory, in bytes.
  mutating func add(resident: Int, at time: Duration) {
    let interval = Int(time / Self.floorInterval)
    // An interval without a reading repeats the previous one.
    while floors.count < interval { floors.append(floors.last ?? resident) }
    if floors.count == interval {
      floors.append(resident)
    } else {
      floors[interval] = min(floors[interval], resident)
    }
  }

  /// The growth of the smallest resident memory in bytes per minute, by least squares over the
  /// second half; 0 with less than two readings.
  var memoryGrowth: Double {
    // The last interval is incomplete.
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

  /// The p99 frame time of the last quarter minus that of the second quarter, in nanoseconds.
  ///
  /// It is 0 with fewer than eight frames. The first quarter is ignored because it fills the tiers.
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
