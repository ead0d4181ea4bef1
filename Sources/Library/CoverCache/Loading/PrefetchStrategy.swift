/// A rule for the covers to prefetch.
public enum PrefetchStrategy: Hashable, Sendable {
  /// Prefetches nothing.
  case none
  /// A number of covers on both sides of the visible ones; PhotoSwiftUISmoothly uses two.
  case neighbours(Int)
  /// A number of covers in the scroll direction; SwiftWing uses twenty.
  case ahead(Int)
  /// The covers that will become visible within a time, in the scroll direction.
  case adaptive(Adaptation)

  /// The range of an adaptive strategy.
  public struct Adaptation: Hashable, Sendable {
    /// The time within which the covers would become visible.
    public var horizon = Duration.milliseconds(500)
    /// The fewest covers, as when a scroll begins.
    public var least = 5
    /// The most covers.
    public var most = 60

    /// Creates the default range: half a second ahead, 5 to 60 covers.
    public init() {}
  }

  /// Returns the covers to prefetch, the most urgent first.
  ///
  /// - Parameters:
  ///   - visible: The visible covers.
  ///   - count: The number of all covers.
  ///   - velocity: Covers that become visible per second; negative when scrolling back.
  /// - Returns: Indices in `0..<count` outside of `visible`.
  public func indices(around visible: Range<Int>, of count: Int, velocity: Double) -> [Int] {
    let isForward = velocity >= 0
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
    case .ahead(let distance):
      return isForward ? Self.after(visible, distance, count) : Self.before(visible, distance)
    case .adaptive(let adaptation):
      let passed = (velocity.magnitude * adaptation.horizon.seconds).rounded(.up)
      let distance = Int(min(Double(adaptation.most), max(Double(adaptation.least), passed)))
      return isForward ? Self.after(visible, distance, count) : Self.before(visible, distance)
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
