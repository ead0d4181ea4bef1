/// Which covers are loaded before they are seen.
public enum PrefetchStrategy: Hashable, Sendable {
  /// None.
  case none
  /// So many on both sides of what is visible; PhotoSwiftUISmoothly's two.
  case neighbours(Int)
  /// So many in the direction of the scroll; SwiftWing's twenty.
  case ahead(Int)
  /// As many in the direction of the scroll as come into sight within some time.
  case adaptive(Adaptation)

  /// How far an adaptive strategy looks ahead.
  public struct Adaptation: Hashable, Sendable {
    /// The time within which covers would come into sight.
    public var horizon = Duration.milliseconds(500)
    /// The fewest covers, for when the scroll begins.
    public var least = 5
    /// The most covers.
    public var most = 60

    /// Makes the default choice: half a second ahead, 5 to 60 covers.
    public init() {}
  }

  /// Returns the covers that are wanted, the most urgent first.
  ///
  /// - Parameters:
  ///   - visible: The covers in sight.
  ///   - count: How many there are in all.
  ///   - velocity: Covers that come into sight in a second; negative when the list goes back.
  /// - Returns: Indices in `0..<count` outside of `visible`.
  public func indices(around visible: Range<Int>, of count: Int, velocity: Double) -> [Int] {
    let isForward = velocity >= 0
    switch self {
    case .none: return []
    case .neighbours(let distance):
      let after = Self.after(visible, distance, count)
      let before = Self.before(visible, distance)
      // Both nearest first; of two that are equally near, the one in the scroll's direction.
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
