/// Encoded covers in memory, as they came from their source: what `URLCache` is to an app.
///
/// A cover takes a tenth to a hundredth of its decoded bytes, and is decoded again at each use.
public final class EncodedTier: Sendable {
  private let table: SharedTable<[UInt8]>

  /// Makes an empty tier.
  ///
  /// - Parameter limits: Count and bytes that are never exceeded.
  public init(limits: TierLimits) {
    table = SharedTable(limits: limits, policy: LRUPolicy())
  }

  /// Returns the bytes of a cover and counts a hit, or nil and counts a miss.
  public func bytes(for key: String) -> [UInt8]? { table.value(for: key) }

  /// Whether a cover is held; counts nothing.
  public func contains(_ key: String) -> Bool { table.contains(key) }

  /// Holds the bytes of a cover from now on, unless they alone are over the limits; others leave
  /// before.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - key: Its name.
  /// - Returns: Whether they are held.
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

  /// Lets covers go, least recently used first, until at most some bytes are held.
  ///
  /// - Parameter bytes: How many.
  /// - Returns: How many bytes went.
  @discardableResult
  public func shrink(toBytes bytes: Int) -> Int {
    table.update { entries, policy in entries.shrink(toBytes: bytes, &policy) }
      .reduce(0) { $0 + $1.count }
  }

  /// What the tier keeps to.
  public var limits: TierLimits { table.update { entries, _ in entries.limits } }

  /// Changes the limits, and returns how many bytes had to go for it.
  @discardableResult
  public func setLimits(_ limits: TierLimits) -> Int {
    table.update { entries, policy in entries.setLimits(limits, &policy) }
      .reduce(0) { $0 + $1.count }
  }

  /// What the tier has done and holds.
  public var metrics: CacheMetrics { table.metrics }
}
