/// How many pairs a comparison that is not decided would probably take.
enum Forecast {
  /// Beyond so many times the pairs at hand nothing is foretold.
  static let limit = 100.0

  /// Returns the number of pairs at which the intervals would decide, if the estimate stays.
  ///
  /// Intervals shrink with the root of the number of pairs. A change of the margin or more is told when
  /// its interval excludes zero, a smaller one when the interval lies inside of the margin.
  ///
  /// - Parameters:
  ///   - change: As the last look saw it.
  ///   - margin: In the same scale.
  ///   - now: Pairs at that look.
  /// - Returns: Pairs in all, or nil when the estimate lies so near to the margin that any number may
  ///   be too few.
  static func pairs(_ change: ChangeRule.Change, margin: Double, now: Int) -> Double? {
    let size = change.estimate.magnitude
    let isUp = change.estimate >= 0
    // How far the interval must come in, by how far it reaches now.
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
    guard let needed, needed <= limit else { return nil }
    return Double(now) * max(needed, 1)
  }
}
