/// A cache of decoded covers in memory.
///
/// A cover may reserve its room before it is decoded. Reserved bytes count at once, so the tier
/// never exceeds its limit together with the covers being decoded.
public protocol MemoryTier: AnyObject, Sendable {
  /// Returns a cover and counts a hit; returns nil and counts a miss if it is absent.
  func cover(for key: String) -> PixelBuffer?
  /// Returns whether a cover is present, without counting.
  func contains(_ key: String) -> Bool
  /// Reserves room for a cover that will be decoded; returns false when the cover can never fit.
  ///
  /// After true, ``insert(_:for:reserved:)`` or ``release(_:)`` must follow.
  func reserve(_ size: PixelSize) -> Bool
  /// Releases the room reserved for a cover that will not be inserted.
  func release(_ size: PixelSize)
  /// Inserts a cover if the limits admit it, and returns whether it was inserted.
  ///
  /// `reserved` is the size given to ``reserve(_:)``; nil if no room was reserved.
  @discardableResult
  func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool
  /// Removes a cover and returns whether it was present.
  @discardableResult
  func remove(_ key: String) -> Bool
  /// Evicts covers until at most `bytes` are in use, and returns the bytes of the evicted covers.
  func shrink(toBytes bytes: Int) -> Int
  /// The covers in the tier, in no order; empty when the tier cannot list them.
  var sizes: [(key: String, bytes: Int)] { get }
  /// The limits of the tier.
  var limits: TierLimits { get }
  /// Changes the limits and returns the bytes of the evicted covers.
  @discardableResult
  func setLimits(_ limits: TierLimits) -> Int
  /// The counters and content size of the tier.
  var metrics: CacheMetrics { get }
}

extension MemoryTier {
  /// Inserts a cover without reserved room and returns whether it was inserted.
  @discardableResult
  public func insert(_ cover: PixelBuffer, for key: String) -> Bool {
    insert(cover, for: key, reserved: nil)
  }
}
