/// Decoded covers in memory, by key.
///
/// A cover that is made for a tier may ask for its room first: the bytes that it is decoded into then
/// count from that moment on, and the tier is never over its limit together with them.
public protocol MemoryTier: AnyObject, Sendable {
  /// Returns a cover and counts a hit, or nil and counts a miss.
  func cover(for key: String) -> PixelBuffer?
  /// Whether a cover is held; counts nothing.
  func contains(_ key: String) -> Bool
  /// Makes room for a cover that is about to be decoded, and keeps it free.
  ///
  /// - Parameter size: What it will be decoded to.
  /// - Returns: False when there can be no such room; the cover is for whoever wants it and not for
  ///   the tier then. Otherwise ``insert(_:for:reserved:)`` or ``release(_:)`` is to follow.
  func reserve(_ size: PixelSize) -> Bool
  /// Gives back the room that was made for a cover which does not come.
  func release(_ size: PixelSize)
  /// Holds a cover from now on, if the tier's limits let it in.
  ///
  /// - Parameters:
  ///   - cover: What to hold.
  ///   - key: Its name.
  ///   - reserved: What ``reserve(_:)`` was called with; nil if it was not.
  /// - Returns: Whether it is held.
  @discardableResult
  func insert(_ cover: PixelBuffer, for key: String, reserved: PixelSize?) -> Bool
  /// Lets a cover go, and returns whether it was held.
  @discardableResult
  func remove(_ key: String) -> Bool
  /// Lets covers go until at most some bytes are held, and returns how many bytes went.
  func shrink(toBytes bytes: Int) -> Int
  /// What is held, in no order; empty when the tier does not know.
  var sizes: [(key: String, bytes: Int)] { get }
  /// What the tier keeps to.
  var limits: TierLimits { get }
  /// Changes what the tier keeps to, and returns how many bytes had to go for it.
  @discardableResult
  func setLimits(_ limits: TierLimits) -> Int
  /// What the tier has done and holds.
  var metrics: CacheMetrics { get }
}

extension MemoryTier {
  /// Holds a cover from now on, if the tier's limits let it in, and returns whether it is held.
  @discardableResult
  public func insert(_ cover: PixelBuffer, for key: String) -> Bool {
    insert(cover, for: key, reserved: nil)
  }
}
