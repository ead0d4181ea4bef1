internal import Dispatch
internal import Synchronization

/// An actor that is told of results, one at a time or many.
///
/// Whoever is not on the actor waits for it at each call: an `await` in a tight loop is what the
/// SwiftWing case study warns of.
actor ResultLog {
  private var sum = 0

  /// Mixes a result in; a mere sum of a range would be computed without its numbers.
  private func add(_ result: Int) { sum = (sum ^ result) &* 0x9E37_79B9_7F4A_7C1 }

  private func add(_ results: Range<Int>) {
    for result in results { add(result) }
  }

  /// Tells an actor of results, and waits for that.
  ///
  /// - Parameters:
  ///   - count: How many results.
  ///   - isBatched: Whether it is told of a thousand at a time.
  /// - Returns: Nanoseconds a result.
  static func time(of count: Int, isBatched: Bool) -> Double {
    let elapsed = DetachedWork.result {
      let log = ResultLog()
      let began = ContinuousClock.now
      if isBatched {
        for first in stride(from: 0, to: count, by: 1_000) {
          await log.add(first..<min(count, first + 1_000))
        }
      } else {
        for result in 0..<count { await log.add(result) }
      }
      return ContinuousClock.now - began
    }
    return Double(elapsed.nanoseconds) / Double(count)
  }
}
