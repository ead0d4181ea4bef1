/// How hot the device is, as `ProcessInfo` says where there is such a thing.
public enum ThermalState: String, CaseIterable, Comparable, Sendable {
  /// Not hot.
  case nominal
  /// A little.
  case fair
  /// So hot that the system slows everything down.
  case serious
  /// So hot that everything has to stop that can.
  case critical

  /// Orders from cool to hot.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int { ThermalState.allCases.firstIndex(of: self) ?? 0 }

  /// How many loads may run at one time, of a cache that has so many otherwise: 3, 2, 1, 0 of three.
  public func concurrentLoads(of all: Int) -> Int {
    switch self {
    case .nominal: all
    case .fair: max(1, all - 1)
    case .serious: 1
    case .critical: 0
    }
  }

  /// The part of its limits that a cache keeps.
  public var limitShare: Double { self >= .serious ? 0.5 : 1 }
}

extension CoverCache {
  /// Does less the hotter the device is: fewer loads, and from `serious` on half of the covers.
  ///
  /// - Parameter state: How hot it is now; `nominal` brings everything back.
  /// - Returns: The bytes of the covers that left.
  @discardableResult
  public func respond(to state: ThermalState) -> Int {
    setConcurrentLoads(state.concurrentLoads(of: configuration.concurrentLoads))
    return setLimits(configuration.thumbnailLimits.scaled(by: state.limitShare), of: .thumbnail)
      + setLimits(configuration.imageLimits.scaled(by: state.limitShare), of: .image)
  }
}

extension TierLimits {
  /// A part of the limits; no limit stays none.
  func scaled(by share: Double) -> TierLimits {
    func part(_ limit: Int) -> Int { limit == .max ? limit : Int(Double(limit) * share) }
    return TierLimits(count: part(count), bytes: part(bytes))
  }
}
