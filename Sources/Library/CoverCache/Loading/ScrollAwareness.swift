/// Knows whether a list is scrolled so fast that loading what passes would be wasted.
///
/// Fast scrolling begins above 50 points a second and ends 0.3 s after the speed has fallen below 10:
/// between the two nothing changes, so that a speed near one border does not switch back and forth.
/// The case study compared the velocity and not its magnitude at the end of the 0.3 s, and so ended
/// in the middle of every scroll upwards.
public struct ScrollAwareness: Hashable, Sendable {
  /// Faster than that, in points a second, is fast scrolling.
  public var startSpeed = 50.0
  /// Slower than that, in points a second, ends it after a while.
  public var endSpeed = 10.0
  /// How long the list is slow before quality comes back.
  public var restoreDelay = Duration.milliseconds(300)
  /// Whether the list is scrolled fast; placeholders are enough then.
  public private(set) var isFast = false
  /// Since when the list was slow, while it still counts as fast.
  private var slowSince: Duration?

  /// Makes the knowledge of a list that stands still, with the case study's borders.
  public init() {}

  /// Takes the velocity of a moment.
  ///
  /// - Parameters:
  ///   - velocity: In points a second, of either sign.
  ///   - time: Since an arbitrary moment; a time before the last one is taken for it.
  /// - Returns: Whether covers may be loaded now.
  @discardableResult
  public mutating func update(velocity: Double, at time: Duration) -> Bool {
    let speed = velocity.magnitude
    if speed > startSpeed {
      isFast = true
      slowSince = nil
    } else if isFast, speed < endSpeed {
      let since = slowSince ?? time
      slowSince = since
      if time - since >= restoreDelay {
        isFast = false
        slowSince = nil
      }
    } else {
      slowSince = nil
    }
    return !isFast
  }
}
