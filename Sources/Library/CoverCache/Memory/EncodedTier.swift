/// A memory tier of encoded covers, like `URLCache` in an app.
///
/// An encoded cover takes a tenth to a hundredth of its decoded bytes, and is decoded at each use.
final class EncodedTier: Sendable {
  private let table: SharedTable<[UInt8]>

  init(limits: TierLimits) { table = SharedTable(limits: limits, policy: LRUPolicy()) }

  /// Returns the bytes of a cover and counts a hit; returns nil and counts a miss if it is absent.
  func bytes(for key: String) -> [UInt8]? { table.value(for: key) }

  /// Returns whether a cover is present, without counting.
  func contains(_ key: String) -> Bool { table.contains(key) }

  /// Counts a miss of a cover that was not looked up, because it was already being fetched.
  func countMiss() { table.countMiss() }

  /// Inserts a cover, unless it alone exceeds the limits, and returns whether it was inserted.
  @discardableResult
  func insert(_ bytes: [UInt8], for key: String) -> Bool {
    let (isHeld, _) = table.update { entries, policy in
      var removed: [[UInt8]] = []
      let isHeld = entries.insert(
        bytes, for: key, cost: bytes.count, bytes: bytes.count, &policy, removed: &removed)
      return (isHeld, removed)
    }
    return isHeld
  }

  /// Removes a cover, if it is present.
  func remove(_ key: String) {
    _ = table.update { entries, policy in entries.remove(key, &policy) }
  }

  var metrics: CacheMetrics { table.metrics }
}
