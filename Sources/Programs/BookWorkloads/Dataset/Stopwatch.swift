/// Adds up the times of one kind of operation.
struct Stopwatch {
  private(set) var total = Duration.zero
  private(set) var longest = Duration.zero
  private(set) var count = 0

  /// Runs a closure and adds its time.
  mutating func time<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let began = ContinuousClock.now
    defer {
      let duration = ContinuousClock.now - began
      total += duration
      longest = max(longest, duration)
      count += 1
    }
    return try body()
  }

  /// Adds the times of another watch.
  mutating func add(_ other: Stopwatch) {
    total += other.total
    longest = max(longest, other.longest)
    count += other.count
  }

  /// The mean time in nanoseconds; 0 if there is none.
  var mean: Double { count == 0 ? 0 : Double(total.nanoseconds) / Double(count) }
}
