internal import Glibc

/// A fixed amount of CPU-bound work with stacks as deep as in real Swift programs.
struct Work {
  /// The number of calls from the outermost to the innermost function.
  let depth: Int

  /// Does one unit of work, about 0.5 ms on a machine of 2025.
  ///
  /// - Returns: A number that depends on every step.
  func unit(_ seed: UInt64) -> UInt64 {
    var digest = Digest(state: seed | 1)
    return descend(depth, &digest)
  }

  /// Works for about 0.1 s, long enough for samples.
  static func forAWhile() {
    let work = Work(depth: 30)
    for round in 0..<200 { _ = work.unit(UInt64(round)) }
  }

  /// Calls `turn`, which calls `descend`.
  ///
  /// Two functions that call each other keep the optimiser from turning the recursion into a loop.
  @inline(never)
  private func descend(_ left: Int, _ digest: inout Digest) -> UInt64 {
    guard left > 0 else { return digest.churn(200_000) }
    let below = turn(left - 1, &digest)
    return below ^ digest.churn(16)
  }

  @inline(never)
  private func turn(_ left: Int, _ digest: inout Digest) -> UInt64 {
    guard left > 0 else { return digest.churn(200_000) }
    let below = descend(left - 1, &digest)
    return below &+ digest.churn(16)
  }
}

/// A state that depends on all work done (xorshift: Marsaglia 2003, doi:10.18637/jss.v008.i14).
struct Digest {
  var state: UInt64

  /// Advances the state `count` times and returns it.
  @inline(never)
  mutating func churn(_ count: Int) -> UInt64 {
    var x = state
    for _ in 0..<count {
      x ^= x << 13
      x ^= x >> 7
      x ^= x << 17
    }
    state = x
    return x
  }
}

/// Returns CLOCK_MONOTONIC in nanoseconds.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
