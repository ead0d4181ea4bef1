/// A cache for book covers: decoded covers in memory, encoded covers on disk, a source for the
/// rest.
///
///     let cache = try CoverCache(source: FileCoverSource(directory: "covers"))
///     if let cover = cache.thumbnail(for: isbn) {
///       draw(cover)
///     } else {
///       request = cache.request(isbn)  // and check request.result in the next frames
///     }
///
/// Every method may be called on any thread. The methods for a frame thread (``thumbnail(for:)``,
/// ``image(for:)``, ``request(_:as:priority:completion:)``) never wait for a disk or a decoder.
public final class CoverCache: Sendable {
  let pipeline: CoverPipeline
  private let queue: LoadQueue

  /// Creates a cache and starts its loader threads.
  ///
  /// The source has the covers that no tier has; the clock delays retries. `didLoad` receives each
  /// loaded cover on the loading thread before it is handed out, e.g. to extract its palette.
  ///
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
    ) { load, need throws(CoverError) in
      try pipeline.load(load, need: need)
    }
  }

  deinit { queue.stop() }

  /// The configuration given at creation.
  public var configuration: CoverCacheConfiguration { pipeline.configuration }

  /// Returns the small form of a cover if it is in memory, and counts a hit or a miss.
  public func thumbnail(for key: String) -> PixelBuffer? {
    pipeline.tier(of: .thumbnail).cover(for: key)
  }

  /// Returns the large form of a cover if it is in memory, and counts a hit or a miss.
  public func image(for key: String) -> PixelBuffer? {
    pipeline.tier(of: .image).cover(for: key)
  }

  /// Returns whether a cover is in memory, without counting a hit or a miss.
  public func contains(_ key: String, as kind: CoverKind = .thumbnail) -> Bool {
    pipeline.tier(of: kind).contains(key)
  }

  /// Requests a cover from the loader threads; two requests for one cover share one load.
  ///
  /// A cover that is in memory is loaded again; look it up before. Visible covers are loaded before prefetched ones. `completion` receives the result, on a loader
  /// thread or on the thread that cancels.
  @discardableResult
  public func request(
    _ key: String, as kind: CoverKind = .thumbnail, priority: LoadPriority = .visible,
    completion: (@Sendable (Result<PixelBuffer, CoverError>) -> Void)? = nil
  ) -> CoverRequest {
    let request = CoverRequest(key: key, kind: kind, queue: queue, completion: completion)
    queue.add([request], priority: priority)
    return request
  }

  /// Requests several covers at once, the most urgent first.
  ///
  /// Covers that are in memory are loaded again. This costs the frame thread less than single requests.
  public func request(
    _ keys: [String], as kind: CoverKind = .thumbnail, priority: LoadPriority = .visible
  ) -> [CoverRequest] {
    let requests = keys.map { key in
      CoverRequest(key: key, kind: kind, queue: queue)
    }
    queue.add(requests, priority: priority)
    return requests
  }

  /// Requests small covers that may be visible soon, the most urgent first.
  ///
  /// A cache that keeps no decoded covers only brings the encoded ones into memory.
  func prefetch(_ keys: [String]) -> [CoverRequest] {
    let requests = keys.map { key in
      CoverRequest(
        key: key, kind: .thumbnail, wantsPicture: !pipeline.prefetchesEncoded, queue: queue)
    }
    queue.add(requests, priority: .prefetch)
    return requests
  }

  /// Returns whether the memory has the product of a prefetch, without counting.
  func isPrefetched(_ key: String) -> Bool {
    pipeline.prefetchesEncoded ? pipeline.encoded?.contains(key) == true : contains(key)
  }

  /// Sets the number of concurrent loads, up to ``CoverCacheConfiguration/concurrentLoads``.
  ///
  /// 0 suspends all loads. Running loads finish.
  public func setConcurrentLoads(_ limit: Int) { queue.setLimit(limit) }

  /// Cancels several requests of this cache at once.
  public func cancel(_ requests: [CoverRequest]) { queue.cancel(requests) }

  /// Returns a cover from memory, or loads it on the calling thread and waits for it.
  ///
  /// - Throws: ``CoverError``, from the source or the decoder.
  public func load(
    _ key: String, as kind: CoverKind = .thumbnail
  ) throws(CoverError) -> PixelBuffer {
    if let cover = pipeline.tier(of: kind).cover(for: key) { return cover }
    let loaded = try pipeline.load(CoverLoad(key: key, kind: kind)) { .picture }
    guard case .picture(let cover) = loaded else { throw .cancelled(cover: key) }
    return cover
  }

  /// Returns the limits of a memory tier.
  public func limits(of kind: CoverKind) -> TierLimits { pipeline.tier(of: kind).limits }

  /// Changes the limits of a memory tier and returns the bytes of the evicted covers.
  @discardableResult
  public func setLimits(_ limits: TierLimits, of kind: CoverKind) -> Int {
    pipeline.tier(of: kind).setLimits(limits)
  }

  /// Returns the counters and the content size of a memory tier.
  public func metrics(of kind: CoverKind) -> CacheMetrics { pipeline.tier(of: kind).metrics }

  /// The counters and content size of the tier of encoded covers; zero without such a tier.
  ///
  /// Only look-ups for a decoded cover count, not those of a prefetch.
  public var encodedMetrics: CacheMetrics { pipeline.encoded?.metrics ?? CacheMetrics() }

  /// The counters of the loader threads.
  public var loadMetrics: LoadMetrics { queue.metrics }
}
