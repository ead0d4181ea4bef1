/// A scripted fling through a list: acceleration, constant peak speed, deceleration.
///
/// The position depends only on the time, so a late frame shows a later position, as on a device.
struct Fling: Hashable {
  /// The distance of the fling, in points.
  let distance: Double
  /// The peak speed, in points per second.
  let peak: Double
  /// The duration of the acceleration and of the deceleration, in seconds.
  let ramp: Double

  /// Creates a fling with a peak speed that a short fling does not reach.
  init(distance: Double, peak: Double, ramp: Double = 0.5) {
    self.distance = distance
    // Both ramps together cover peak x ramp points.
    let reached = peak * min(1, (distance / (peak * ramp)).squareRoot())
    self.peak = reached
    self.ramp = ramp * reached / peak
  }

  /// The duration of the fling, in seconds.
  var seconds: Double { distance > 0 ? distance / peak + ramp : 0 }

  /// Returns the position in points, from 0 to `distance`, seconds after the beginning.
  func position(at time: Double) -> Double {
    guard time > 0, distance > 0 else { return 0 }
    guard time < seconds else { return distance }
    let acceleration = peak / ramp
    if time < ramp { return acceleration * time * time / 2 }
    let left = seconds - time
    if left < ramp { return distance - acceleration * left * left / 2 }
    return peak * (time - ramp / 2)
  }
}
