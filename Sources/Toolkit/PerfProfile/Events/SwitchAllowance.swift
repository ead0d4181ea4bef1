/// Limits the samples of switches, which copy the stack each time that a thread stops running.
///
/// All switches are sampled, until a program has so many that the copies would disturb it. From then on
/// one of several is sampled and stands for the others (`EventPauses`).
struct SwitchAllowance {
  /// Samples per second that never change the period.
  private static let rate = 4000.0
  /// Samples of a burst beyond that rate.
  private static let burst = 1000.0
  /// The periods: primes, so that programs with switches of a regular order have samples of each.
  private static let periods: [UInt32] = [1, 7, 53, 397, 3001]

  private var left = Self.burst
  private var place = 0
  private var time: UInt64

  /// The number of switches for one sample.
  var period: UInt32 { Self.periods[place] }

  /// Creates an allowance that begins at a time in nanoseconds.
  init(at time: UInt64) { self.time = time }

  /// Takes samples off the allowance.
  ///
  /// - Returns: Whether `period` has grown, because they were too many.
  mutating func spend(_ samples: Int, at now: UInt64) -> Bool {
    let elapsed = Double(now - min(time, now)) / 1e9
    time = max(time, now)
    left = min(Self.burst, left + Self.rate * elapsed) - Double(samples)
    guard left < 0, place + 1 < Self.periods.count else { return false }
    let excess = Double(samples) / max(1, Self.rate * elapsed)
    let wanted = UInt32(min(excess * Double(period), Double(UInt32.max)))
    place =
      Self.periods[(place + 1)...].firstIndex { $0 >= wanted } ?? Self.periods.count - 1
    left = Self.burst
    return true
  }
}
