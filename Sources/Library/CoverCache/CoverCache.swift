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
  /// - Parameters:
  ///   - source: The source of covers that no tier has.
  ///   - disk: The tier that keeps covers between launches; nil for none.
  ///   - configuration: Limits, sizes and loading options.
  ///   - clock: The clock that delays retries.
  ///   - didLoad: Called with each loaded cover on the loading thread before the cover is handed
  ///     out, e.g. to extract its palette.
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

  /// The configuration given at creation.
  public var configuration: CoverCacheConfiguration { pipeline.configuration }

  /// The tier that keeps covers between launches.
  public var disk: DiskTier? { pipeline.disk }

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

  /// Requests a cover from the loader threads.
  ///
  /// Two requests for one cover share one load.
  ///
  /// - Parameters:
  ///   - key: The cover's name.
  ///   - kind: The requested form.
  ///   - priority: Visible covers are loaded before prefetched ones.
  ///   - completion: Called with the result, on a loader thread or on the thread that cancels.
  /// - Returns: The request, to be checked or cancelled.
  @discardableResult
  public func request(
    _ key: String, as kind: CoverKind = .thumbnail, priority: LoadPriority = .visible,
    completion: (@Sendable (Result<PixelBuffer, CoverError>) -> Void)? = nil
  ) -> CoverRequest {
    let request = CoverRequest(key: key, kind: kind, queue: queue, completion: completion)
    queue.add([request], priority: priority)
    return request
  }

  /// Requests several covers at once, which costs the frame thread less than single requests.
  ///
  /// - Parameters:
  ///   - keys: The covers' names, the most urgent first.
  ///   - kind: The requested form.
  ///   - priority: Visible covers are loaded before prefetched ones.
  /// - Returns: One request per key, in the same order.
  public func request(
    _ keys: [String], as kind: CoverKind = .thumbnail, priority: LoadPriority = .visible
  ) -> [CoverRequest] {
    let requests = keys.map { key in
      CoverRequest(key: key, kind: kind, queue: queue, completion: nil)
    }
    queue.add(requests, priority: priority)
    return requests
  }

  /// Sets the number of concurrent loads, up to ``CoverCacheConfiguration/concurrentLoads``.
  ///
  /// - Parameter limit: From 0, which suspends all loads. Running loads finish.
  public func setConcurrentLoads(_ limit: Int) { queue.setLimit(limit) }

  /// Cancels several requests of this cache at once.
  public func cancel(_ requests: [CoverRequest]) { queue.cancel(requests) }

  /// Returns a cover from memory, or loads it on the calling thread and waits for it.
  ///
  /// - Parameters:
  ///   - key: The cover's name.
  ///   - kind: The requested form.
  /// - Returns: The cover.
  /// - Throws: ``CoverError``, from the source or the decoder.
  public func load(
    _ key: String, as kind: CoverKind = .thumbnail
  ) throws(CoverError) -> PixelBuffer {
    if let cover = pipeline.tier(of: kind).cover(for: key) { return cover }
    return try pipeline.load(CoverLoad(key: key, kind: kind)) { true }
  }

  /// Returns the limits of a memory tier.
  public func limits(of kind: CoverKind) -> TierLimits { pipeline.tier(of: kind).limits }

  /// Changes the limits of a memory tier and returns the bytes of the evicted covers.
  @discardableResult
  public func setLimits(_ limits: TierLimits, of kind: CoverKind) -> Int {
    pipeline.tier(of: kind).setLimits(limits)
  }

  /// Returns the counters and the content size of a memory tier.
  public func metrics(of kind: CoverKind) -> CacheMetrics {
    pipeline.tier(of: kind).metrics
  }

  /// The counters and content size of the encoded tier; nil when there is none.
  public var encodedMetrics: CacheMetrics? { pipeline.encoded?.metrics }

  /// The counters of the loader threads.
  public var loadMetrics: LoadMetrics { queue.metrics }
}
