/// Knows when something was not used for so long that it should rest, as a camera that takes power.
public struct IdlePause: Hashable, Sendable {
  /// After which time without use it rests; the case study's camera after 30 s.
  public let limit: Duration
  /// When it was used last.
  public private(set) var lastUse: Duration

  /// Makes the knowledge of something that is used now.
  ///
  /// - Parameters:
  ///   - time: Since an arbitrary moment.
  ///   - limit: After which time without use it rests.
  public init(usedAt time: Duration, limit: Duration = .seconds(30)) {
    lastUse = time
    self.limit = limit
  }

  /// Says that it is used, and need not rest any more; a time before the last one is taken for it.
  public mutating func use(at time: Duration) { lastUse = max(lastUse, time) }

  /// Whether it should rest.
  public func isDue(at time: Duration) -> Bool { time - lastUse >= limit }
}
