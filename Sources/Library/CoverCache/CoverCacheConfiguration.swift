/// How covers are decoded for a tier.
public enum CoverDecoding: String, CaseIterable, Sendable {
  /// To all their pixels, whatever size they are shown at.
  case full
  /// To the size they are shown at.
  case scaled
}

/// What a cache keeps in its folder.
public enum DiskContent: String, CaseIterable, Sendable {
  /// Covers at the size they are shown at, encoded again.
  case scaled
  /// Covers as they came from their source.
  case encoded
}

/// The choices that make a ``CoverCache``.
public struct CoverCacheConfiguration: Hashable, Sendable {
  /// Which kind of tier holds decoded covers.
  public var policy = MemoryPolicy.lru
  /// What a decoded cover counts for against a limit of bytes.
  public var cost = CoverCost.bytes
  /// What the tier of large covers keeps to.
  public var imageLimits = TierLimits(count: 100, bytes: 50_000_000)
  /// What the tier of small covers keeps to.
  public var thumbnailLimits = TierLimits(count: 200, bytes: 10_000_000)
  /// What the tier of encoded covers keeps to; the default is that there is none.
  public var encodedLimits = TierLimits(count: 0)
  /// What the folder holds, if there is one.
  public var diskContent = DiskContent.scaled
  /// The box, in pixels, that large covers are scaled to fit.
  public var imageSize = PixelSize(width: 400, height: 600)
  /// The box, in pixels, that small covers are scaled to fit.
  public var thumbnailSize = PixelSize(width: 200, height: 300)
  /// Whether covers are scaled while they are decoded.
  public var decoding = CoverDecoding.scaled
  /// How many loads may run at one time; ``CoverCache/setConcurrentLoads(_:)`` lowers it for a while.
  public var concurrentLoads = 3
  /// The nice value of the loader threads.
  ///
  /// From 0, as everybody, to 19, only when nobody else wants the CPU. At 0 the loaders take turns
  /// with the frame thread, and frames are late.
  public var loaderNice = 19
  /// When a load that failed for the moment is tried again.
  public var retry = RetryPolicy()
  /// The quality, 1 to 100, at which scaled covers are encoded for the disk tier.
  public var diskQuality = 80
  /// Pictures of more pixels are refused.
  public var maximumPixels = 100_000_000

  /// Makes the configuration that the Epilogue case study ended with.
  ///
  /// 100 images in 50 MB, 200 thumbnails in 10 MB, three loads at a time.
  public init() {}

  /// What the case study began with: every cover decoded to all its pixels and held for ever.
  public static let naive: CoverCacheConfiguration = {
    var configuration = CoverCacheConfiguration()
    configuration.policy = .dictionary
    configuration.decoding = .full
    return configuration
  }()
}
