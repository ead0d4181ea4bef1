/// The limits of a tier, which hold at every instant.
public struct TierLimits: Hashable, Sendable {
  /// The most objects.
  public let count: Int
  /// The most bytes of all objects together.
  public let bytes: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - count: The most objects; unlimited by default.
  ///   - bytes: The most bytes; unlimited by default.
  public init(count: Int = .max, bytes: Int = .max) {
    self.count = count
    self.bytes = bytes
  }
}
