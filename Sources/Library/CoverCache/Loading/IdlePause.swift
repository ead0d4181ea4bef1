/// Decides when an unused device, such as a camera, should pause.
public struct IdlePause: Hashable, Sendable {
  /// The idle time after which to pause; 30 s for the case study's camera.
  public let limit: Duration
  /// The time of the last use.
  public private(set) var lastUse: Duration

  /// Creates the state of a device that is in use now; times count from an arbitrary moment.
  public init(usedAt time: Duration, limit: Duration = .seconds(30)) {
    lastUse = time
    self.limit = limit
  }

  /// Records a use; a time before the last use changes nothing.
  public mutating func use(at time: Duration) { lastUse = max(lastUse, time) }

  /// Returns whether the idle time has reached the limit.
  public func isDue(at time: Duration) -> Bool { time - lastUse >= limit }
}
