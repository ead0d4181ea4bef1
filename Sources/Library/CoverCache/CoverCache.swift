/// The covers of a library: decoded ones in memory, encoded ones on disk, the rest on their way.
///
///     let cache = try CoverCache(source: FileCoverSource(directory: "covers"))
///     if let cover = cache.thumbnail(for: isbn) {
///       draw(cover)
///     } else {
///       request = cache.request(isbn)  // and look at request.result in the next frames
///     }
///
/// Every method may be called on any thread. The ones that a frame needs (``thumbnail(for:)``,
/// ``image(for:)``, ``request(_:as:priority:completion:)``) never wait for a disk or a decoder.
public final class CoverCache: Sendable {
  let pipeline: CoverPipeline
  private let queue: LoadQueue

  /// Makes a cache and starts its loader threads.
  ///
  /// - Parameters:
  ///   - source: Where covers come from when no tier has them.
  ///   - disk: Where scaled covers are kept between two runs; nil for nowhere.
  ///   - configuration: Limits, sizes, and how covers are loaded.
  ///   - clock: What loads wait by that are to be tried again.
  ///   - didLoad: Called with each cover that was loaded, on the thread that did, before it is handed
  ///     out: the place for what else a cover is good for, such as its palette.
  /// - Throws: ``CoverError/noThread(code:)``.
  public init(
    source: any CoverSource, disk: DiskTier? = nil,
    configuration: CoverCacheConfiguration = CoverCacheConfiguration(),
    clock: LoadClock = .system,
    didLoad: (@Sendable (_ key: String, _ kind: CoverKind, _ cover: PixelBuffer) -> Void)? = nil
  ) throws(CoverError) {
    let pipeline = CoverPipeline(
      source: source, disk: disk, configuration: configuration, didLoad: didLoad)
    self.pipeline = pipeline
    queue = try LoadQueue(
      threads: configuration.concurrentLoads, nice: configuration.loaderNice,
      retry: configuration.retry, clock: clock
    ) { load, isWanted throws(CoverError) in
      try pipeline.load(load, isWanted: isWanted)
    }
  }

  deinit { queue.stop() }

  /// The choices that the cache was made with.
  public var configuration: CoverCacheConfiguration { pipeline.configuration }

  /// Where scaled covers are kept between two runs.
  public var disk: DiskTier? { pipeline.disk }

  /// Returns the small form of a cover if it is in memory; counts a hit or a miss.
  public func thumbnail(for key: String) -> PixelBuffer? {
    pipeline.tier(of: .thumbnail).cover(for: key)
  }

  /// Returns the large form of a cover if it is in memory; counts a hit or a miss.
  public func image(for key: String) -> PixelBuffer? {
    pipeline.tier(of: .image).cover(for: key)
  }

  /// Whether a cover is in memory; counts nothing.
  public func contains(_ key: String, as kind: CoverKind = .thumbnail) -> Bool {
    pipeline.tier(of: kind).contains(key)
  }

  /// Asks for a cover, which the loader threads make when they get to it.
  ///
  /// A cover that is asked for twice is loaded once.
  ///
  /// - Parameters:
  ///   - key: The name of the cover.
  ///   - kind: The form that is wanted.
  ///   - priority: Visible covers are loaded before the others.
  ///   - completion: Called with the result on a loader thread, or on the one that cancels.
  /// - Returns: The request, to look at or to cancel.
  @discardableResult
  public func request(
    _ key: String, as kind: CoverKind = .thumbnail, priority: LoadPriority = .visible,
    completion: (@Sendable (Result<PixelBuffer, CoverError>) -> Void)? = nil
  ) -> CoverRequest {
    let request = CoverRequest(key: key, kind: kind, queue: queue, completion: completion)
    queue.add([request], priority: priority)
    return request
  }

  /// Asks for several covers at once, which takes the frame thread less time than one by one.
  ///
  /// - Parameters:
  ///   - keys: The names of the covers, the most urgent first.
  ///   - kind: The form that is wanted.
  ///   - priority: Visible covers are loaded before the others.
  /// - Returns: A request for each key, in their order.
  public func request(
    _ keys: [String], as kind: CoverKind = .thumbnail, priority: LoadPriority = .visible
  ) -> [CoverRequest] {
    let requests = keys.map { key in
      CoverRequest(key: key, kind: kind, queue: queue, completion: nil)
    }
    queue.add(requests, priority: priority)
    return requests
  }

  /// Lets fewer loads run at one time than ``CoverCacheConfiguration/concurrentLoads``, or as many
  /// again.
  ///
  /// - Parameter limit: From 0, which suspends all loads; what runs already goes on.
  public func setConcurrentLoads(_ limit: Int) { queue.setLimit(limit) }

  /// Withdraws several requests of this cache at once.
  public func cancel(_ requests: [CoverRequest]) { queue.cancel(requests) }

  /// Returns a cover from memory, or loads it on the calling thread, which waits for it.
  ///
  /// - Parameters:
  ///   - key: The name of the cover.
  ///   - kind: The form that is wanted.
  /// - Returns: The cover.
  /// - Throws: ``CoverError``: what the source or the decoder said.
  public func load(
    _ key: String, as kind: CoverKind = .thumbnail
  ) throws(CoverError) -> PixelBuffer {
    if let cover = pipeline.tier(of: kind).cover(for: key) { return cover }
    return try pipeline.load(CoverLoad(key: key, kind: kind)) { true }
  }

  /// What a tier in memory keeps to.
  public func limits(of kind: CoverKind) -> TierLimits { pipeline.tier(of: kind).limits }

  /// Changes what a tier in memory keeps to, and returns the bytes of the covers that left for it.
  @discardableResult
  public func setLimits(_ limits: TierLimits, of kind: CoverKind) -> Int {
    pipeline.tier(of: kind).setLimits(limits)
  }

  /// What a tier in memory has done and holds.
  public func metrics(of kind: CoverKind) -> CacheMetrics {
    pipeline.tier(of: kind).metrics
  }

  /// What the tier of encoded covers has done and holds; nil when there is none.
  public var encodedMetrics: CacheMetrics? { pipeline.encoded?.metrics }

  /// What the loader threads have done.
  public var loadMetrics: LoadMetrics { queue.metrics }
}
