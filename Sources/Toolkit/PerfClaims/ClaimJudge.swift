internal import Glibc
public import PerfModel
internal import PerfStatistics

/// The rule that decides claims, from stored runs or by arithmetic.
///
/// The estimate decides: the median over launches, or the estimated ratio between the launches of both
/// runs. The finding is marked close if the 95 % interval, widened by `RunComparer.drift` because the
/// runs come from different sessions, contains a limit.
public enum ClaimJudge {
  /// Decides a claim; `run` returns the run of a source, or nil if there is none.
  public static func finding(
    of claim: Claim, run: (Claim.Source) throws -> Run?
  ) rethrows -> ClaimFinding {
    func notMeasured(_ reason: String) -> ClaimFinding {
      ClaimFinding(verdict: .notMeasured, reason: reason)
    }
    switch claim.evidence {
    case .notTestable(let reason): return ClaimFinding(verdict: .notTestable, reason: reason)
    case .computed(let formula, _):
      guard let assertion = claim.assertion, let value = try? formula.value() else {
        return notMeasured("The formula has no value.")
      }
      let figure = ClaimFinding.Figure(
        estimate: IntervalEstimate(exactly: value.baseValue), dimension: value.dimension,
        launches: 0)
      return decided(assertion, before: nil, after: figure, change: nil)
    case .measured(let before, let after):
      guard let assertion = claim.assertion else {
        return notMeasured("The claim has no number.")
      }
      var sides: [Side] = []
      for reading in [before, after].compactMap(\.self) {
        guard let run = try run(reading.source) else {
          return notMeasured("There is no run of \(reading.source).")
        }
        guard let side = Side(reading, run) else {
          let missing = reading.formula.metrics.joined(separator: ", ")
          return notMeasured("Run \(run.id) of \(reading.source) has no \(missing).")
        }
        sides.append(side)
      }
      var finding = decided(
        assertion, before: before.map { _ in sides[0].figure },
        after: sides[sides.count - 1].figure,
        change: before.flatMap { _ in change(assertion.aspect, sides[0], sides[1]) })
      finding.runs = sides.map(\.run)
      return finding
    }
  }

  /// One run's launches, evaluated for a claim.
  private struct Side {
    let run: String
    let values: [Double]
    let figure: ClaimFinding.Figure

    /// Computes the formula of a reading for each launch; nil if no launch has a value.
    init?(_ reading: Claim.Reading, _ run: Run) {
      self.run = run.id
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
  }

  /// Returns the change that the claim is about; nil for a claim about one state, or without a ratio.
  private static func change(
    _ aspect: Assertion.Aspect, _ before: Side, _ after: Side
  ) -> ClaimFinding.Figure? {
    let ratio: IntervalEstimate?
    switch aspect {
    case .before, .after: return nil
    case .less: ratio = Self.ratio(before, by: after)
    case .more: ratio = Self.ratio(after, by: before)
    case .reduction: ratio = Self.ratio(after, by: before)?.mapped(isFalling: true) { 1 - $0 }
    }
    return ratio.map {
      ClaimFinding.Figure(
        estimate: $0, dimension: aspect == .reduction ? .ratio : nil,
        launches: min(before.values.count, after.values.count))
    }
  }

  /// Returns the ratio of one side to the other.
  ///
  /// If all values are positive, the ratio is the Hodges-Lehmann shift of their logarithms, with an
  /// interval. If some are zero, it is the ratio of the estimates, without an interval; 0 to 0 is 1.
  /// If an estimate is negative, the result is nil.
  private static func ratio(_ one: Side, by other: Side) -> IntervalEstimate? {
    if (one.values + other.values).allSatisfy({ $0 > 0 }) {
      let shift = try? HodgesLehmann.shift(
        from: other.values.map { log($0) }, to: one.values.map { log($0) })
      return shift?.mapped { exp($0) }
    }
    let (top, bottom) = (one.figure.estimate.value, other.figure.estimate.value)
    guard top >= 0, bottom >= 0 else { return nil }
    return IntervalEstimate(exactly: top == bottom ? 1 : top / bottom)
  }

  private static func decided(
    _ assertion: Assertion, before: ClaimFinding.Figure?, after: ClaimFinding.Figure?,
    change: ClaimFinding.Figure?
  ) -> ClaimFinding {
    let figure: ClaimFinding.Figure? =
      switch assertion.aspect {
      case .before: before
      case .after: after
      case .less, .more, .reduction: change
      }
    guard let figure else {
      return ClaimFinding(
        verdict: .notMeasured, reason: "The ratio of a negative value is undefined.",
        before: before, after: after)
    }
    let value = figure.estimate.value
    let holds = assertion.holds(for: value)
    let range = figure.estimate.widened
    let isClose =
      assertion.holds(for: range.lowerBound) != holds
      || assertion.holds(for: range.upperBound) != holds
    let reasons = [
      assertion.breach(by: value).map { "The estimate is \($0)." },
      isClose ? "Close: the interval contains a limit." : nil,
    ]
    return ClaimFinding(
      verdict: holds ? .reproduced : .contradicted,
      reason: reasons.compactMap(\.self).joined(separator: " "), before: before, after: after,
      change: change, isClose: isClose)
  }
}

extension IntervalEstimate {
  /// The interval, widened by the drift between sessions.
  ///
  /// Without an interval, or if all launches have the same value, the result is the estimate alone.
  fileprivate var widened: ClosedRange<Double> {
    let low = Swift.min(low ?? value, value)
    let high = Swift.max(high ?? value, value)
    guard low < high else { return value...value }
    let drift = 1 + RunComparer.drift
    return Swift.min(low / drift, low * drift)...Swift.max(high / drift, high * drift)
  }
}
