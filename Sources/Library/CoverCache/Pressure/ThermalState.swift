/// The temperature level of the device, like `ProcessInfo.ThermalState` on Apple platforms.
public enum ThermalState: String, CaseIterable, Comparable, Sendable {
  /// A normal temperature.
  case nominal
  /// A slightly raised temperature.
  case fair
  /// A high temperature at which the system slows down.
  case serious
  /// A temperature at which all optional work must stop.
  case critical

  /// Orders from cool to hot.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int { ThermalState.allCases.firstIndex(of: self) ?? 0 }

  /// Returns the number of concurrent loads of a cache that normally has `all`: 3, 2, 1, 0 of three.
  public func concurrentLoads(of all: Int) -> Int {
    switch self {
    case .nominal: all
    case .fair: max(1, all - 1)
    case .serious: 1
    case .critical: 0
    }
  }

  /// The share of its limits that a cache keeps.
  public var limitShare: Double { self >= .serious ? 0.5 : 1 }
}

extension CoverCache {
  /// Reduces the work of the cache with rising temperature: fewer loads, from `serious` on half the
  /// covers; `nominal` restores everything.
  ///
  /// - Returns: The bytes of the evicted covers.
  @discardableResult
  public func respond(to state: ThermalState) -> Int {
    setConcurrentLoads(state.concurrentLoads(of: configuration.concurrentLoads))
    return setLimits(configuration.thumbnailLimits.scaled(by: state.limitShare), of: .thumbnail)
      + setLimits(configuration.imageLimits.scaled(by: state.limitShare), of: .image)
  }
}

extension TierLimits {
  /// Returns a share of the limits; an unlimited value stays unlimited.
  func scaled(by share: Double) -> TierLimits {
    func part(_ limit: Int) -> Int { limit == .max ? limit : Int(Double(limit) * share) }
    return TierLimits(count: part(count), bytes: part(bytes))
  }
}
