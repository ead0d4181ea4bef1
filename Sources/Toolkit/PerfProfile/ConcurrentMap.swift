internal import Dispatch

extension Array where Element: Sendable {
  /// Returns at most `count` parts of about equal length.
  func parts(_ count: Int) -> [ArraySlice<Element>] {
    let share = Swift.max(1, (self.count + count - 1) / count)
    return stride(from: 0, to: self.count, by: share).map {
      self[$0..<Swift.min($0 + share, self.count)]
    }
  }

  /// Returns the transformed elements in their order, computed on all CPUs.
  ///
  /// Each result has its own memory, so no lock is needed.
  func concurrentMap<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
    // Empty arrays share one constant buffer, which must not be written.
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
