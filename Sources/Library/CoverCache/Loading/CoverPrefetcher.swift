/// Requests the covers that will be visible next.
///
/// A prefetcher belongs to one thread, e.g. the main thread.
///
///     prefetcher.want(strategy.indices(around: visible, of: count, velocity: velocity).map { keys[$0] })
///     prefetcher.appeared(keys[index])  // for each cell that becomes visible, before it is loaded
///     prefetcher.cancelAll()            // when the list is sorted or filtered
public struct CoverPrefetcher: Sendable {
  private let cache: CoverCache
  private var requests: [String: CoverRequest] = [:]
  /// Covers that were prefetched and not seen yet, with their bytes.
  private var unseen: [String: Int] = [:]
  private var counts = PrefetchMetrics()

  /// Creates a prefetcher of the small form of covers.
  public init(cache: CoverCache) { self.cache = cache }

  /// Requests the given covers, the nearest first, and cancels all earlier requests.
  ///
  /// - Complexity: O(`keys`), and one cache look-up per new key.
  public mutating func want(_ keys: some Collection<String>) {
    var kept: [String: CoverRequest] = [:]
    var missing: [String] = []
    for key in keys where kept[key] == nil {
      if let request = requests[key], request.result == nil {
        kept[key] = requests.removeValue(forKey: key)
      } else if !cache.contains(key) {
        missing.append(key)
      }
    }
    withdraw()
    counts.requestedCount += missing.count
    for request in cache.request(missing, priority: .prefetch) {
      kept[request.key] = request
    }
    requests = kept
  }

  /// Records that a cover becomes visible; call it before the look-up in the cache.
  public mutating func appeared(_ key: String) {
    let isHeld = cache.contains(key)
    if let request = requests.removeValue(forKey: key) {
      switch request.result {
      case nil: counts.lateCount += 1
      case .success where isHeld: counts.usedCount += 1
      case .success(let cover):
        // The cover was loaded and evicted before it was seen.
        unseen[key] = cover.byteCount
        counts.missedCount += 1
      case .failure: counts.missedCount += 1
      }
    } else if isHeld {
      if unseen.removeValue(forKey: key) != nil { counts.usedCount += 1 }
    } else {
      counts.missedCount += 1
    }
  }

  /// Cancels all requests, for example because the list has a new order.
  public mutating func cancelAll() { withdraw() }

  /// How many prefetched covers were seen, and how many in time, so far.
  public var metrics: PrefetchMetrics {
    var metrics = counts
    for (key, request) in requests where unseen[key] == nil {
      if case .success(let cover) = request.result {
        metrics.wastedCount += 1
        metrics.wastedBytes += cover.byteCount
      }
    }
    metrics.wastedCount += unseen.count
    metrics.wastedBytes += unseen.values.reduce(0, +)
    return metrics
  }

  /// Cancels the pending requests and remembers the loaded covers.
  private mutating func withdraw() {
    let pending = requests.values.filter { $0.result == nil }
    cache.cancel(pending)
    for (key, request) in requests {
      switch request.result {
      case .success(let cover): unseen[key] = cover.byteCount
      case .failure(.cancelled): counts.cancelledCount += 1
      default: break
      }
    }
    requests = [:]
  }
}
