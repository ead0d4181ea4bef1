internal import Glibc

/// CPU-bound work of a fixed amount, with stacks as deep as those of real Swift programs.
struct Work {
  /// Calls from the outermost to the innermost function.
  let depth: Int

  /// Does one unit of work, about half a millisecond on machines of 2025.
  ///
  /// - Returns: A number that depends on all of it.
  func unit(_ seed: UInt64) -> UInt64 {
    var digest = Digest(state: seed | 1)
    return descend(depth, &digest)
  }

  /// Works for about a tenth of a second, so that there are samples of it.
  static func forAWhile() {
    let work = Work(depth: 30)
    for round in 0..<200 { _ = work.unit(UInt64(round)) }
  }

  /// Two functions in turn, so that the optimiser can make neither a loop of the recursion nor a
  /// jump of the call.
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

/// A number that is stirred (xorshift: Marsaglia 2003, doi:10.18637/jss.v008.i14).
struct Digest {
  var state: UInt64

  /// Stirs it so many times, and returns it.
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
