/// A scripted fling through a list: faster to a peak, on at that speed, slower to a halt.
///
/// Where the list is follows from the time alone, so a frame that comes late sees the list further
/// on, as a user would.
struct Fling: Hashable {
  /// How far it goes, in points.
  let distance: Double
  /// The speed that it reaches, in points a second.
  let peak: Double
  /// Seconds from the halt to the peak, and from the peak to the halt.
  let ramp: Double

  /// Creates a fling.
  ///
  /// - Parameters:
  ///   - distance: How far it goes, in points, 0 or more.
  ///   - peak: In points a second, over 0; a short fling does not reach it.
  ///   - ramp: Seconds to a peak that is reached, over 0.
  init(distance: Double, peak: Double, ramp: Double = 0.5) {
    self.distance = distance
    // Both ramps together cover peak x ramp points.
    let reached = peak * min(1, (distance / (peak * ramp)).squareRoot())
    self.peak = reached
    self.ramp = ramp * reached / peak
  }

  /// How long it takes, in seconds.
  var seconds: Double { distance > 0 ? distance / peak + ramp : 0 }

  /// Returns how far it has come.
  ///
  /// - Parameter time: Seconds since it began.
  /// - Returns: Points, from 0 to `distance`.
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
