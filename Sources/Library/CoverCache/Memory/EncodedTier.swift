/// A memory tier of encoded covers, like `URLCache` in an app.
///
/// An encoded cover takes a tenth to a hundredth of its decoded bytes, and is decoded at each use.
public final class EncodedTier: Sendable {
  private let table: SharedTable<[UInt8]>

  /// Creates an empty tier.
  ///
  /// - Parameter limits: The count and bytes that are never exceeded.
  public init(limits: TierLimits) {
    table = SharedTable(limits: limits, policy: LRUPolicy())
  }

  /// Returns the bytes of a cover and counts a hit; returns nil and counts a miss if it is absent.
  public func bytes(for key: String) -> [UInt8]? { table.value(for: key) }

  /// Returns whether a cover is present, without counting.
  public func contains(_ key: String) -> Bool { table.contains(key) }

  /// Inserts the bytes of a cover, unless they alone exceed the limits, and evicts others first.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - key: The cover's name.
  /// - Returns: Whether the cover was inserted.
  @discardableResult
  public func insert(_ bytes: [UInt8], for key: String) -> Bool {
    let (isHeld, _) = table.update { entries, policy in
      var removed: [[UInt8]] = []
      let isHeld = entries.insert(
        bytes, for: key, cost: bytes.count, bytes: bytes.count, &policy, removed: &removed)
      return (isHeld, removed)
    }
    return isHeld
  }

  /// Evicts covers, the least recently used first, until at most `bytes` are in use.
  ///
  /// - Parameter bytes: The bytes to keep.
  /// - Returns: The bytes of the evicted covers.
  @discardableResult
  public func shrink(toBytes bytes: Int) -> Int {
    table.update { entries, policy in entries.shrink(toBytes: bytes, &policy) }
      .reduce(0) { $0 + $1.count }
  }

  /// The limits of the tier.
  public var limits: TierLimits { table.update { entries, _ in entries.limits } }

  /// Changes the limits and returns the bytes of the evicted covers.
  @discardableResult
  public func setLimits(_ limits: TierLimits) -> Int {
    table.update { entries, policy in entries.setLimits(limits, &policy) }
      .reduce(0) { $0 + $1.count }
  }

  /// The counters and content size of the tier.
  public var metrics: CacheMetrics { table.metrics }
}
