internal import Dispatch

extension Array where Element: Sendable {
  /// Returns what a function makes of each element, in their order, on all CPUs.
  ///
  /// Each result has a place of its own, so that no lock is needed.
  func concurrentMap<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
    // An array of none lies in memory that all share.
    if isEmpty { return [] }
    return [Result](unsafeUninitializedCapacity: count) { places, made in
      nonisolated(unsafe) let places = places
      DispatchQueue.concurrentPerform(iterations: count) { index in
        places.initializeElement(at: index, to: transform(self[index]))
      }
      made = count
    }
  }
}
