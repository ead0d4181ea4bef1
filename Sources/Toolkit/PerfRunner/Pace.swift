internal import Glibc

/// The current speed of a CPU.
///
/// On a shared machine, the clock and the load of neighbours change within tenths of a second. Two
/// fixed loops measure the effect without touching much memory. Dependent steps follow the clock,
/// but hardly a neighbour on the other hardware thread of the core. Independent look-ups follow
/// that neighbour, like decoders, sorts and searches do.
struct Pace {
  /// CPU time of dependent steps in nanoseconds.
  let steps: UInt64
  /// CPU time of independent look-ups in nanoseconds.
  let lookups: UInt64

  /// The size of each loop: both together take 3 to 5 ms of a server's CPU.
  private static var amount: (steps: Int, lookups: Int) {
    #if DEBUG
    // A debug build is twenty times as slow, and its readings are worthless.
    (35_000, 10_000)
    #else
    (700_000, 200_000)
    #endif
  }

  /// The table: 16 KiB, half of the smallest first-level caches.
  private static let table: [UInt32] = {
    var state: UInt64 = 1
    return (0..<4096).map { _ in
      state = stirred(state)
      return UInt32(truncatingIfNeeded: state)
    }
  }()

  /// Runs both loops in the calling thread; nil without a thread clock.
  static func measure() -> Pace? {
    // Initialises the table before the first loop is timed.
    let table = table
    guard let began = SystemCalls.threadCPUTime() else { return nil }
    let state = step(amount.steps, from: began | 1)
    // The state is never zero, which the compiler does not know, so it keeps the loop.
    guard state != 0, let between = SystemCalls.threadCPUTime() else { return nil }
    let sum = table.withUnsafeBufferPointer { lookUp(amount.lookups, in: $0, from: state) }
    guard sum != 0, let ended = SystemCalls.threadCPUTime(), began < between, between < ended
    else { return nil }
    return Pace(steps: between - began, lookups: ended - between)
  }

  /// One step of Marsaglia's xorshift (2003, doi:10.18637/jss.v008.i14), which needs the previous
  /// one.
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

  /// Looks up entries at known positions; one look-up depends on an unpredictable branch.
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
    // The state is never zero, so neither is the result; the caller checks it to keep the loop.
    return sum == 0 ? state : sum
  }
}
