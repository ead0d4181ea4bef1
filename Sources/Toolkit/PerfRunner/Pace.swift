internal import Glibc

/// How slow a CPU is right now.
///
/// On a shared machine its clock, and what its neighbours leave of it, change within tenths of a second.
/// A loop that always does the same tells how far, and touches no memory that the program may want.
enum Pace {
  /// Steps of the loop: two to four milliseconds of a server's CPU, a few per cent of a short launch.
  private static var steps: Int {
    #if DEBUG
    // Twenty times as slow, and what it measures is worth nothing.
    50_000
    #else
    1_000_000
    #endif
  }

  /// Returns the CPU time of the loop in nanoseconds, by the calling thread; nil when it has no clock.
  static func measure() -> UInt64? {
    guard let began = SystemCalls.threadCPUTime() else { return nil }
    let state = run(steps, from: began | 1)
    // The state is never zero, which the compiler does not know: the loop is not left out.
    guard state != 0, let ended = SystemCalls.threadCPUTime(), ended > began else { return nil }
    return ended - began
  }

  /// Marsaglia's xorshift, each step of which needs the one before (2003, doi:10.18637/jss.v008.i14).
  @inline(never)
  private static func run(_ steps: Int, from seed: UInt64) -> UInt64 {
    var state = seed
    for _ in 0..<steps {
      state ^= state &<< 13
      state ^= state &>> 7
      state ^= state &<< 17
    }
    return state
  }
}
