/// The size at which covers are decoded.
public enum CoverDecoding: String, CaseIterable, Sendable {
  /// All pixels of the file, whatever the display size.
  case full
  /// The display size.
  case scaled
}

/// The content of the disk tier.
public enum DiskContent: String, CaseIterable, Sendable {
  /// Covers at the display size, encoded again; none with ``CoverDecoding/full``.
  case scaled
  /// Covers as the source delivered them.
  case encoded
}

/// The configuration of a ``CoverCache``.
public struct CoverCacheConfiguration: Hashable, Sendable {
  /// The kind of tier that holds decoded covers.
  public var policy = MemoryPolicy.lru
  /// The cost of a decoded cover against a byte limit.
  public var cost = CoverCost.bytes
  /// The limits of the tier of large covers.
  public var imageLimits = TierLimits(count: 100, bytes: 50_000_000)
  /// The limits of the tier of small covers.
  public var thumbnailLimits = TierLimits(count: 200, bytes: 10_000_000)
  /// The limits of the tier of encoded covers; by default there is no such tier.
  public var encodedLimits = TierLimits(count: 0)
  /// The content of the disk tier, if there is one.
  public var diskContent = DiskContent.scaled
  /// The box, in pixels, into which large covers are scaled.
  public var imageSize = PixelSize(width: 400, height: 600)
  /// The box, in pixels, into which small covers are scaled.
  public var thumbnailSize = PixelSize(width: 200, height: 300)
  /// The size at which covers are decoded.
  public var decoding = CoverDecoding.scaled
  /// The maximum number of concurrent loads.
  ///
  /// ``CoverCache/setConcurrentLoads(_:)`` lowers it.
  public var concurrentLoads = 3
  /// The nice value of the loader threads, from 0 (normal) to 19 (only on idle CPUs).
  ///
  /// At 0 the loaders compete with the frame thread, and frames are late.
  public var loaderNice = 19
  /// The policy for retrying loads that failed temporarily.
  public var retry = RetryPolicy()
  /// The largest number of pixels that the decoder accepts.
  public var maximumPixels = 100_000_000

  /// Creates the final configuration of the Epilogue case study.
  ///
  /// 100 images in 50 MB, 200 thumbnails in 10 MB, three concurrent loads.
  public init() {}

  /// The first configuration of the case study: every cover is decoded at full size and never
  /// evicted.
  public static let naive: CoverCacheConfiguration = {
    var configuration = CoverCacheConfiguration()
    configuration.policy = .dictionary
    configuration.decoding = .full
    return configuration
  }()
}
