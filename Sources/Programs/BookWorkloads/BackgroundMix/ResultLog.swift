internal import Dispatch
internal import Synchronization

/// An actor that receives results one at a time or in batches.
///
/// Each call from outside waits for the actor. The SwiftWing case study warns of such an `await` in
/// a tight loop.
actor ResultLog {
  private var sum = 0

  /// 2 to the power of 64 divided by the golden ratio, an odd number that mixes all bits.
  private static let factor = Int(bitPattern: 0x9E37_79B9_7F4A_7C15)

  /// Mixes a result into the sum; the optimiser would replace a plain sum of a range by a formula.
  private func add(_ result: Int) { sum = (sum ^ result) &* Self.factor }

  private func add(_ results: Range<Int>) {
    for result in results { add(result) }
  }

  /// Sends results to an actor, by the thousand if batched, and returns nanoseconds per result.
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
