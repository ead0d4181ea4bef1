/// The limits of a tier, which hold at every instant.
public struct TierLimits: Hashable, Sendable {
  /// The most objects.
  public let count: Int
  /// The most bytes of all objects together.
  public let bytes: Int

  /// Creates limits, by default none.
  public init(count: Int = .max, bytes: Int = .max) {
    self.count = count
    self.bytes = bytes
  }
}
