internal import CLinux

extension CoverCache {
  /// Evicts covers according to the memory pressure, like the case study.
  ///
  /// At `warning` each tier frees 30 %, at `urgent` all large covers, at `critical` everything.
  /// Covers in use stay in memory until they are released.
  ///
  /// - Returns: The bytes of the evicted covers.
  @discardableResult
  public func reduce(under pressure: MemoryPressure) -> Int {
    switch pressure {
    case .normal: 0
    case .warning: keep(thumbnails: 0.7, images: 0.7)
    case .urgent: keep(thumbnails: 1, images: 0)
    case .critical: keep(thumbnails: 0, images: 0)
    }
  }

  /// Shrinks each tier to a share of its content, in the order of its policy, and returns the freed
  /// bytes.
  ///
  /// Small covers come from malloc, which keeps freed memory until it is trimmed.
  func keep(thumbnails: Double, images: Double) -> Int {
    let freed = [(thumbnails, CoverKind.thumbnail), (images, .image)].reduce(0) { freed, part in
      let tier = pipeline.tier(of: part.1)
      guard part.0 < 1 else { return freed }
      return freed + tier.shrink(toBytes: Int(Double(tier.metrics.memoryUsage) * part.0))
    }
    clinux_trim_heaps()
    return freed
  }

  /// Evicts the largest covers of both tiers until a share of the bytes is left.
  func removeLargest(keeping part: Double) -> Int {
    let tiers = CoverKind.allCases.map { pipeline.tier(of: $0) }
    let held = tiers.reduce(0) { $0 + $1.metrics.memoryUsage }
    var left = held - Int(Double(held) * part)
    let covers = tiers.flatMap { tier in tier.sizes.map { (tier, $0.key, $0.bytes) } }
    for (tier, key, bytes) in covers.sorted(by: { ($0.2, $1.1) > ($1.2, $0.1) }) where left > 0 {
      if tier.remove(key) { left -= bytes }
    }
    clinux_trim_heaps()
    return held - tiers.reduce(0) { $0 + $1.metrics.memoryUsage }
  }
}
