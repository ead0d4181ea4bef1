/// Requests the covers that will be visible next.
///
/// A prefetcher belongs to one thread, e.g. the main thread. A cover is requested once as long as it
/// is wanted, also if it is evicted or fails meanwhile. A cache that keeps only encoded covers, such
/// as ``CachePreset/swiftWing``, prefetches their bytes.
///
///     prefetcher.want(strategy.indices(around: visible, of: count, velocity: velocity).map { keys[$0] })
///     prefetcher.appeared(keys[index])  // for each cell that becomes visible, before it is loaded
///     prefetcher.cancelAll()            // when the list is sorted or filtered
public struct CoverPrefetcher: Sendable {
  private let cache: CoverCache
  private let isCancelling: Bool
  private var requests: [String: CoverRequest] = [:]
  /// The requests of covers that became visible while they were loading.
  private var late: [CoverRequest] = []
  /// The wanted covers whose requests have ended.
  private var ended: Set<String> = []
  /// Covers that were prefetched and not seen yet, with their bytes.
  private var unseen: [String: Int] = [:]
  private var counts = PrefetchMetrics()

  /// Creates a prefetcher of the small form of covers.
  ///
  /// Without `isCancelling`, requests are never cancelled: unwanted covers are loaded as well.
  public init(cache: CoverCache, isCancelling: Bool = true) {
    self.cache = cache
    self.isCancelling = isCancelling
  }

  /// Requests the given covers, the nearest first, and cancels the requests for all others.
  ///
  /// - Complexity: O(`keys` + pending requests), and one cache look-up per new key.
  public mutating func want(_ keys: some Collection<String>) {
    var wanted = Set(keys)
    withdraw { !wanted.contains($0) }
    ended.formIntersection(wanted)
    var missing: [String] = []
    for key in keys where wanted.remove(key) != nil && requests[key] == nil && !ended.contains(key)
    {
      guard !cache.isPrefetched(key) else { continue }
      missing.append(key)
      // An earlier prefetch of the cover was evicted before it was seen.
      if let byteCount = unseen.removeValue(forKey: key) { waste(byteCount) }
    }
    counts.requestedCount += missing.count
    for request in cache.prefetch(missing) { requests[request.key] = request }
  }

  /// Records that a cover becomes visible; call it before the look-up in the cache.
  public mutating func appeared(_ key: String) {
    if let request = requests[key] { settle(request) }
    ended.remove(key)
    let byteCount = unseen.removeValue(forKey: key)
    if let request = requests.removeValue(forKey: key) {
      counts.lateCount += 1
      late.append(request)
    } else if cache.isPrefetched(key) {
      if byteCount != nil { counts.usedCount += 1 }
    } else {
      counts.missedCount += 1
      if let byteCount { waste(byteCount) }
    }
  }

  /// Cancels all requests, for example because the list has a new order.
  public mutating func cancelAll() {
    withdraw { _ in true }
    ended = []
  }

  /// How many prefetched covers were seen, and how many in time, so far.
  public var metrics: PrefetchMetrics {
    var now = self
    for request in requests.values { now.settle(request) }
    var metrics = now.counts
    metrics.wastedCount += now.unseen.count
    metrics.wastedBytes += now.unseen.values.reduce(0, +)
    return metrics
  }

  /// Cancels the pending requests for unwanted covers and records the ended ones.
  private mutating func withdraw(where isUnwanted: (_ key: String) -> Bool) {
    if isCancelling {
      // The cells of late covers have requests of their own by now.
      cache.cancel(late + requests.values.filter { isUnwanted($0.key) })
    }
    late = []
    for request in requests.values { settle(request) }
  }

  /// Records the end of a request; does nothing while it is pending.
  private mutating func settle(_ request: CoverRequest) {
    guard let outcome = request.outcome else { return }
    requests[request.key] = nil
    switch outcome {
    case .success(let cover):
      unseen[request.key] = cover.byteCount
      ended.insert(request.key)
    case .failure(.cancelled): counts.cancelledCount += 1
    case .failure: ended.insert(request.key)
    }
  }

  /// Counts a prefetched cover that was evicted before it was seen.
  private mutating func waste(_ byteCount: Int) {
    counts.wastedCount += 1
    counts.wastedBytes += byteCount
  }
}
