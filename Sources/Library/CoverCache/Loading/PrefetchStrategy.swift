/// A rule for the covers to prefetch.
public enum PrefetchStrategy: Hashable, Sendable {
  /// Prefetches nothing.
  case none
  /// A number of covers on both sides of the visible ones; PhotoSwiftUISmoothly uses two.
  case neighbours(Int)
  /// A number of covers in the scroll direction; SwiftWing uses twenty.
  case ahead(Int)
  /// The covers that will become visible within half a second, at least 5 and at most 60.
  case adaptive

  /// Returns the covers to prefetch outside of the visible ones, the most urgent first.
  ///
  /// `count` is the number of all covers. The velocity is in covers that become visible per second;
  /// negative when scrolling back.
  public func indices(around visible: Range<Int>, of count: Int, velocity: Double) -> [Int] {
    let isForward = velocity >= 0
    func ahead(_ distance: Int) -> [Int] {
      isForward ? Self.after(visible, distance, count) : Self.before(visible, distance)
    }
    switch self {
    case .none: return []
    case .neighbours(let distance):
      let after = Self.after(visible, distance, count)
      let before = Self.before(visible, distance)
      // The nearest cover first; of two equally near ones, that in the scroll direction.
      let (first, second) = isForward ? (after, before) : (before, after)
      var wanted: [Int] = []
      for step in 0..<max(first.count, second.count) {
        if step < first.count { wanted.append(first[step]) }
        if step < second.count { wanted.append(second[step]) }
      }
      return wanted
    case .ahead(let distance): return ahead(distance)
    case .adaptive: return ahead(Int(min(60, max(5, (velocity.magnitude / 2).rounded(.up)))))
    }
  }

  private static func after(_ visible: Range<Int>, _ distance: Int, _ count: Int) -> [Int] {
    let start = min(count, max(0, visible.upperBound))
    return Array(start..<min(count, start + max(0, distance)))
  }

  private static func before(_ visible: Range<Int>, _ distance: Int) -> [Int] {
    let end = max(0, visible.lowerBound)
    return (max(0, end - max(0, distance))..<end).reversed()
  }
}
