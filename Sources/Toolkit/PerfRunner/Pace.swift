internal import Glibc

/// How slow a CPU is right now.
///
/// On a shared machine its clock, and what its neighbours leave of it, change within tenths of a second.
/// A loop that always does the same tells how far, and touches hardly any memory that the program may want. One
/// loop tells it of some programs only: where each step needs the one before, the loop follows the clock, but
/// hardly a neighbour on the other thread of the same core, who halves what decoders, sorts and searches get.
struct Pace {
  /// CPU time in nanoseconds of steps each of which needs the one before.
  let steps: UInt64
  /// CPU time in nanoseconds of look-ups that do not wait for one another.
  let lookups: UInt64

  /// How much of each loop: three to five milliseconds of a server's CPU together.
  private static var amount: (steps: Int, lookups: Int) {
    #if DEBUG
    // Twenty times as slow, and what it measures is worth nothing.
    (35_000, 10_000)
    #else
    (700_000, 200_000)
    #endif
  }

  /// What is looked up: 16 KiB, half of the smallest first-level caches.
  private static let table: [UInt32] = {
    var state: UInt64 = 1
    return (0..<4096).map { _ in
      state = stirred(state)
      return UInt32(truncatingIfNeeded: state)
    }
  }()

  /// Runs both loops in the calling thread; nil when it has no clock.
  static func measure() -> Pace? {
    // Made before the first loop is timed.
    let table = table
    guard let began = SystemCalls.threadCPUTime() else { return nil }
    let state = step(amount.steps, from: began | 1)
    // The state is never zero, which the compiler does not know: the loop is not left out.
    guard state != 0, let between = SystemCalls.threadCPUTime() else { return nil }
    let sum = table.withUnsafeBufferPointer { lookUp(amount.lookups, in: $0, from: state) }
    guard sum != 0, let ended = SystemCalls.threadCPUTime(), began < between, between < ended
    else { return nil }
    return Pace(steps: between - began, lookups: ended - between)
  }

  /// Marsaglia's xorshift, each step of which needs the one before (2003, doi:10.18637/jss.v008.i14).
  private static func stirred(_ state: UInt64) -> UInt64 {
    var state = state
    state ^= state &<< 13
    state ^= state &>> 7
    state ^= state &<< 17
    return state
  }

  @inline(never)
  private static func step(_ count: Int, from seed: UInt64) -> UInt64 {
    var state = seed
    for _ in 0..<count { state = stirred(state) }
    return state
  }

  /// Looks up entries whose places are all known at once; every other time one of them is left out.
  @inline(never)
  private static func lookUp(
    _ count: Int, in table: UnsafeBufferPointer<UInt32>, from seed: UInt64
  ) -> UInt64 {
    var state = seed
    var sum: UInt64 = 0
    for _ in 0..<count {
      state = stirred(state)
      let first = table[Int(state & 4095)]
      sum &+= UInt64(first)
      if first & 1 == 1 { sum ^= UInt64(table[Int(state &>> 12 & 4095)]) }
      sum &+= UInt64(table[Int(state &>> 24 & 4095)]) &* 3
      sum ^= UInt64(table[Int(state &>> 36 & 4095)])
    }
    // Never zero, as the state is not; the sum is looked at all the same.
    return sum == 0 ? state : sum
  }
}
