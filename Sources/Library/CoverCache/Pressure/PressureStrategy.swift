/// A rule for freeing memory under pressure.
public enum PressureStrategy: String, CaseIterable, Sendable {
  /// Frees nothing.
  case none
  /// Frees the images and half of the thumbnails above 60 % of the budget, everything above 80 %.
  case twoThresholds = "two-thresholds"
  /// Frees 30 % of each tier, the images or everything, by ``MemoryPressure``.
  case levels
  /// From 50 %, frees everything when more than 50 MiB are in use, else the largest covers until
  /// half is left.
  case progressive
  /// Frees a share of each tier that rises from nothing at 50 % of the budget to everything at 85
  /// %.
  case proportional
}

extension CoverCache {
  /// Frees memory at a used share of the app's budget, and returns the bytes of the evicted covers.
  ///
  /// Covers in use stay in memory until they are released.
  @discardableResult
  public func reduce(atUse ratio: Double, by strategy: PressureStrategy) -> Int {
    switch strategy {
    case .none: return 0
    case .levels: return reduce(under: MemoryPressure(useRatio: ratio))
    case .twoThresholds:
      if ratio > 0.8 { return keep(thumbnails: 0, images: 0) }
      return ratio > 0.6 ? keep(thumbnails: 0.5, images: 0) : 0
    case .progressive:
      guard ratio >= 0.5 else { return 0 }
      let held = CoverKind.allCases.reduce(0) { $0 + metrics(of: $1).memoryUsage }
      return held > 50 << 20 ? keep(thumbnails: 0, images: 0) : removeLargest(keeping: 0.5)
    case .proportional:
      let share = min(1, max(0, (0.85 - ratio) / 0.35))
      return share < 1 ? keep(thumbnails: share, images: share) : 0
    }
  }
}
