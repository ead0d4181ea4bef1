/// The cache configurations of the three case studies.
public enum CachePreset: String, CaseIterable, Sendable {
  /// 100 images in 50 MB, 200 thumbnails in 10 MB, 100 MiB on disk, three loads at a time.
  case epilogue
  /// 50 MiB of encoded covers in memory and 200 MiB on disk, decoded at full size at each use.
  ///
  /// This reproduces `URLCache` under an image view.
  case swiftWing = "swiftwing"
  /// 500 images in 100 MiB and 500 thumbnails in 50 MiB, no disk.
  case photoSmoothly = "photo-smoothly"

  /// The cache configuration of the preset.
  public var configuration: CoverCacheConfiguration {
    var configuration = CoverCacheConfiguration()
    switch self {
    case .epilogue: break
    case .swiftWing:
      configuration.imageLimits = TierLimits(count: 0)
      configuration.thumbnailLimits = TierLimits(count: 0)
      configuration.encodedLimits = TierLimits(bytes: 50 << 20)
      configuration.diskContent = .encoded
      configuration.decoding = .full
    case .photoSmoothly:
      configuration.imageLimits = TierLimits(count: 500, bytes: 100 << 20)
      configuration.thumbnailLimits = TierLimits(count: 500, bytes: 50 << 20)
    }
    return configuration
  }

  /// The byte limit of the disk tier; nil without one.
  public var diskByteLimit: Int? {
    switch self {
    case .epilogue: 100 << 20
    case .swiftWing: 200 << 20
    case .photoSmoothly: nil
    }
  }
}
