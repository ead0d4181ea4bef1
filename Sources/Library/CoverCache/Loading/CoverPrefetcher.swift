/// Keeps the covers that will be seen next on their way; belongs to one thread, as a scroll view.
///
///     prefetcher.want(strategy.indices(around: visible, of: count, velocity: velocity).map { keys[$0] })
///     prefetcher.appeared(keys[index])  // for each cell that comes into sight, before it is loaded
///     prefetcher.cancelAll()            // when the list is sorted or filtered anew
public struct CoverPrefetcher: Sendable {
  private let cache: CoverCache
  private let kind: CoverKind
  private var requests: [String: CoverRequest] = [:]
  /// Covers that were loaded ahead and not seen yet, with their bytes.
  private var unseen: [String: Int] = [:]
  private var counts = PrefetchMetrics()

  /// Makes a prefetcher that wants nothing yet.
  ///
  /// - Parameters:
  ///   - cache: Where the covers go.
  ///   - kind: The form in which they will be seen.
  public init(cache: CoverCache, kind: CoverKind = .thumbnail) {
    self.cache = cache
    self.kind = kind
  }

  /// Says which covers will be seen next, the nearest first; earlier ones are withdrawn.
  ///
  /// - Parameter keys: All that are wanted from now on.
  /// - Complexity: O(`keys`), and a look at the cache for each that is new.
  public mutating func want(_ keys: some Collection<String>) {
    var kept: [String: CoverRequest] = [:]
    var missing: [String] = []
    for key in keys where kept[key] == nil {
      if let request = requests[key], request.result == nil {
        kept[key] = requests.removeValue(forKey: key)
      } else if !cache.contains(key, as: kind) {
        missing.append(key)
      }
    }
    withdraw()
    counts.requestedCount += missing.count
    for request in cache.request(missing, as: kind, priority: .prefetch) {
      kept[request.key] = request
    }
    requests = kept
  }

  /// Says that a cover comes into sight; to be called before the cache is asked for it.
  public mutating func appeared(_ key: String) {
    let isHeld = cache.contains(key, as: kind)
    if let request = requests.removeValue(forKey: key) {
      switch request.result {
      case nil: counts.lateCount += 1
      case .success where isHeld: counts.usedCount += 1
      case .success(let cover):
        // It was loaded, and left before it was seen.
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

  /// Withdraws everything that is on its way: the list has another order now.
  public mutating func cancelAll() { withdraw() }

  /// Whether covers that were loaded ahead were seen, and in time, so far.
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

  /// Cancels the requests that are under way, and remembers those that were loaded.
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
