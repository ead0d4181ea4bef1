/// Keeps the covers that will be seen next on their way; belongs to one thread, as a scroll view.
public struct CoverPrefetcher: Sendable {
  private let cache: CoverCache
  private let kind: CoverKind
  private var requests: [String: CoverRequest] = [:]

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
    for key in keys {
      if let request = requests.removeValue(forKey: key) {
        kept[key] = request
      } else if !cache.contains(key, as: kind) {
        missing.append(key)
      }
    }
    cache.cancel(Array(requests.values))
    for request in cache.request(missing, as: kind, priority: .prefetch) {
      kept[request.key] = request
    }
    requests = kept
  }
}
