/// Detects scrolling that is too fast for loading covers that pass.
///
/// Fast scrolling begins above 50 points per second and ends when the speed has been below 10
/// points per second for 0.3 s. The two thresholds prevent toggling around one speed. Speeds are
/// magnitudes, so both directions behave the same; the case study compared signed velocities and so
/// left the fast state in the middle of every upward scroll.
public struct ScrollAwareness: Hashable, Sendable {
  /// Whether the list scrolls so fast that placeholders suffice.
  public private(set) var isFast = false
  /// The start of the current slow time while the list still counts as fast.
  private var slowSince: Duration?

  /// Creates the state of a resting list with the case study's thresholds.
  public init() {}

  /// Records a velocity in points per second, of either sign, and returns whether covers may be
  /// loaded now; the time never decreases.
  @discardableResult
  public mutating func update(velocity: Double, at time: Duration) -> Bool {
    let speed = velocity.magnitude
    if speed > 50 {
      isFast = true
      slowSince = nil
    } else if isFast, speed < 10 {
      let since = slowSince ?? time
      slowSince = since
      if time - since >= .milliseconds(300) {
        isFast = false
        slowSince = nil
      }
    } else {
      slowSince = nil
    }
    return !isFast
  }
}
