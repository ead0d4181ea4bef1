/// How much a tier may hold; both limits hold at every instant.
public struct TierLimits: Hashable, Sendable {
  /// The most objects.
  public let count: Int
  /// The most bytes of all objects together.
  public let bytes: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - count: Objects; the default is no limit.
  ///   - bytes: Bytes; the default is no limit.
  public init(count: Int = .max, bytes: Int = .max) {
    self.count = count
    self.bytes = bytes
  }
}
