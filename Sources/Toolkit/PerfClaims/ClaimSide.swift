internal import Glibc
internal import PerfModel
internal import PerfStatistics

/// One run's launches, evaluated for a claim.
struct ClaimSide {
  let run: Run
  /// The values of the formula, one per launch.
  private let values: [Double]
  let figure: ClaimFinding.Figure

  /// Computes the formula of a reading for each launch; nil if no launch has a value.
  init?(_ reading: Claim.Reading, _ run: Run) {
    self.run = run
    let dimension: Dimension?
    let estimate: IntervalEstimate?
    if reading.formula == .metric(MetricName.crashRate) {
      // The share of all launches, including incomplete ones; a median would be 0 or 1.
      values = run.values(of: MetricName.crashRate)
      dimension = .ratio
      estimate = try? Proportion.estimate(
        events: values.count { $0 > 0 }, trials: values.count)
    } else {
      (values, dimension) = Self.values(of: reading.formula, in: run)
      estimate = try? Quantiles.estimate(0.5, of: values)
    }
    guard let estimate else { return nil }
    figure = ClaimFinding.Figure(
      estimate: estimate, dimension: dimension, launches: values.count)
  }

  private static func values(
    of formula: Formula, in run: Run
  ) -> (values: [Double], dimension: Dimension?) {
    let dimensions = Dictionary(
      run.definitions.map { ($0.name, $0.dimension) }, uniquingKeysWith: { $1 })
    let values = run.measured.compactMap { launch in
      try? formula.value { name in
        launch.metrics[name].map { Formula.Value($0, dimensions[name]) }
      }
    }
    let single: Dimension? = if case .metric(let name) = formula { dimensions[name] } else { nil }
    return (values.map(\.baseValue), values.first?.dimension ?? single)
  }

  /// Returns the reason why both sides cannot show a change, or nil.
  ///
  /// - Parameters:
  ///   - after: The side after the change.
  ///   - cap: The highest possible value of the metric; nil for none.
  /// - Returns: A sentence.
  func obstacle(to after: ClaimSide, cap: Quantity?) -> String? {
    let all = values + after.values
    if all.allSatisfy({ $0 == 0 }) {
      return "The scenario does not show the effect: all values are 0 before and after."
    }
    // Within 1 %, because the last frames of a launch may be incomplete.
    if let cap, [figure, after.figure].allSatisfy({ $0.estimate.value >= 0.99 * cap.baseValue }) {
      return "The scenario does not show the effect: both sides reach the cap of \(cap.plain)."
    }
    return nil
  }

  // MARK: - A change

  /// Returns the change that a claim is about; nil for a claim about one state, or without a ratio.
  func change(to after: ClaimSide, as aspect: Assertion.Aspect) -> ClaimFinding.Figure? {
    let ratio: IntervalEstimate?
    switch aspect {
    case .before, .after: return nil
    case .less: ratio = self.ratio(by: after)
    case .more: ratio = after.ratio(by: self)
    case .reduction: ratio = after.ratio(by: self)?.mapped(isFalling: true) { 1 - $0 }
    }
    return ratio.map {
      ClaimFinding.Figure(
        estimate: $0, dimension: aspect == .reduction ? .ratio : nil,
        launches: min(values.count, after.values.count))
    }
  }

  /// Returns the ratio of this side to another.
  ///
  /// If all values are positive, the ratio is the Hodges-Lehmann shift of their logarithms. If some
  /// are zero, it is the ratio of the estimates, and its interval joins the opposite ends of both
  /// intervals, which is at least as wide. 0 to 0 is 1. If an estimate is negative, the result is nil.
  private func ratio(by other: ClaimSide) -> IntervalEstimate? {
    if (values + other.values).allSatisfy({ $0 > 0 }) {
      let shift = try? HodgesLehmann.shift(
        from: other.values.map { log($0) }, to: values.map { log($0) })
      return shift?.mapped { exp($0) }
    }
    let (top, bottom) = (figure.estimate, other.figure.estimate)
    guard top.value >= 0, bottom.value >= 0 else { return nil }
    func divided(_ one: Double, _ other: Double) -> Double { one == other ? 1 : one / other }
    guard let tops = top.interval, let bottoms = bottom.interval, tops.lowerBound >= 0,
      bottoms.lowerBound >= 0
    else { return IntervalEstimate(exactly: divided(top.value, bottom.value)) }
    return top.replaced(
      value: divided(top.value, bottom.value),
      low: divided(tops.lowerBound, bottoms.upperBound),
      high: divided(tops.upperBound, bottoms.lowerBound))
  }
}
