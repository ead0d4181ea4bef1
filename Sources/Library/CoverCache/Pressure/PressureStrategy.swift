/// How a cache gives memory back when it becomes short.
public enum PressureStrategy: String, CaseIterable, Sendable {
  /// Nothing is given.
  case none
  /// Over 60 % of the budget the images go and half of the thumbnails, over 80 % everything.
  case twoThresholds = "two-thresholds"
  /// Four levels: 30 % of each tier, the images, everything.
  case levels
  /// Everything when more than 50 MiB are held, else the largest covers until half is left.
  case progressive
  /// Each tier gives in proportion: nothing at 50 % of the budget, everything at 85 %.
  case proportional
}

extension CoverCache {
  /// Gives memory back.
  ///
  /// - Parameters:
  ///   - ratio: The part of the app's budget that is used, from 0.
  ///   - strategy: How.
  /// - Returns: The bytes of the covers that left. Covers that are still on show stay in memory as long
  ///   as they are.
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
