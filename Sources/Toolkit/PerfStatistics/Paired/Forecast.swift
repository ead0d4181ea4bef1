/// An estimate of the number of pairs that decides a comparison.
enum Forecast {
  /// The largest factor by which the number of pairs is extrapolated.
  static let limit = 100.0

  /// Returns the total number of pairs at which the intervals would decide if the estimate stayed
  /// the same; nil if the estimate is too close to the margin.
  ///
  /// Intervals shrink with the square root of the number of pairs. A change of at least the margin
  /// is found when its interval excludes zero, a smaller one when its interval is within the
  /// margin. More pairs do not reduce the fixed share of the variance, which layouts cause.
  static func pairs(
    _ change: ChangeRule.Change, margin: Double, now: Int, fixedShare: Double = 0
  ) -> Double? {
    let size = change.estimate.magnitude
    let isUp = change.estimate >= 0
    // Returns the square of the factor by which the interval must shrink.
    func factor(_ range: ClosedRange<Double>?, inwards: Bool, room: Double) -> Double? {
      guard let range, room > 0 else { return nil }
      let reach =
        isUp == inwards
        ? change.estimate - range.lowerBound : range.upperBound - change.estimate
      return (reach / room) * (reach / room)
    }
    let needed =
      size >= margin
      ? factor(change.decisive, inwards: true, room: size)
      : factor(change.plain, inwards: false, room: margin - size)
    guard let needed = needed.map({ max($0, 1) }), needed * fixedShare < 1 else { return nil }
    let factor = needed * (1 - fixedShare) / (1 - needed * fixedShare)
    return factor <= limit ? Double(now) * factor : nil
  }
}
