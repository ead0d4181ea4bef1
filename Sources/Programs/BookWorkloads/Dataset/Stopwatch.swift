/// Adds up the times of one kind of question.
struct Stopwatch {
  private(set) var total = Duration.zero
  private(set) var longest = Duration.zero
  private(set) var count = 0

  /// Runs a body and adds the time that it takes.
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

  /// Adds what another watch has.
  mutating func add(_ other: Stopwatch) {
    total += other.total
    longest = max(longest, other.longest)
    count += other.count
  }

  /// The mean, in nanoseconds; 0 of none.
  var mean: Double { count == 0 ? 0 : Double(total.nanoseconds) / Double(count) }
}
