internal import CLinux

extension CoverCache {
  /// Gives memory back as the case study did: more, the shorter it is.
  ///
  /// At `warning` each tier gives 30 %, at `urgent` the large covers go, at `critical` everything.
  /// Covers that are still on show stay in memory as long as they are.
  ///
  /// - Parameter pressure: How short memory is.
  /// - Returns: The bytes of the covers that left.
  @discardableResult
  public func reduce(under pressure: MemoryPressure) -> Int {
    switch pressure {
    case .normal: 0
    case .warning: keep(thumbnails: 0.7, images: 0.7)
    case .urgent: keep(thumbnails: 1, images: 0)
    case .critical: keep(thumbnails: 0, images: 0)
    }
  }

  /// Lets a part of each tier go, in the order of its policy, and returns how many bytes went.
  func keep(thumbnails: Double, images: Double) -> Int {
    let freed = [(thumbnails, CoverKind.thumbnail), (images, .image)].reduce(0) { freed, part in
      let tier = pipeline.tier(of: part.1)
      guard part.0 < 1 else { return freed }
      return freed + tier.shrink(toBytes: Int(Double(tier.metrics.memoryUsage) * part.0))
    }
    trim()
    return freed
  }

  /// Lets the largest covers of both tiers go until a part of the bytes is left.
  func removeLargest(keeping part: Double) -> Int {
    let tiers = CoverKind.allCases.map { pipeline.tier(of: $0) }
    let held = tiers.reduce(0) { $0 + $1.metrics.memoryUsage }
    var left = held - Int(Double(held) * part)
    let covers = tiers.flatMap { tier in tier.sizes.map { (tier, $0.key, $0.bytes) } }
    for (tier, key, bytes) in covers.sorted(by: { ($0.2, $1.1) > ($1.2, $0.1) }) where left > 0 {
      if tier.remove(key) { left -= bytes }
    }
    trim()
    return held - tiers.reduce(0) { $0 + $1.metrics.memoryUsage }
  }

  private func trim() {
    // Small covers come from malloc, which keeps what is freed until it is told not to.
    clinux_trim_heaps()
  }
}
