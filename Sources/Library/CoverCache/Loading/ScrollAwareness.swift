/// Detects scrolling that is too fast for loading covers that pass.
///
/// Fast scrolling begins above 50 points per second and ends when the speed has been below 10
/// points per second for 0.3 s. The two thresholds prevent toggling around one speed. Speeds are
/// magnitudes, so both directions behave the same; the case study compared signed velocities and so
/// left the fast state in the middle of every upward scroll.
public struct ScrollAwareness: Hashable, Sendable {
  /// The speed, in points per second, above which scrolling is fast.
  public var startSpeed = 50.0
  /// The speed, in points per second, below which fast scrolling ends after ``restoreDelay``.
  public var endSpeed = 10.0
  /// The time at low speed after which fast scrolling ends.
  public var restoreDelay = Duration.milliseconds(300)
  /// Whether the list scrolls so fast that placeholders suffice.
  public private(set) var isFast = false
  /// The start of the current slow time while the list still counts as fast.
  private var slowSince: Duration?

  /// Creates the state of a resting list with the case study's thresholds.
  public init() {}

  /// Records a velocity.
  ///
  /// - Parameters:
  ///   - velocity: In points per second, of either sign.
  ///   - time: The time since an arbitrary moment; never decreases.
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
