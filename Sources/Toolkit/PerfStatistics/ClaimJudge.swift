internal import Glibc
public import PerfModel

/// Decides claims by stored runs, or by arithmetic.
///
/// The estimate decides: the median over launches, or the estimated ratio of both sides' launches. Where
/// its interval of 95 %, widened by `RunComparer.drift` because the runs are of different sessions,
/// reaches over a limit, the finding says that it is close.
public enum ClaimJudge {
  /// Decides a claim.
  ///
  /// - Parameters:
  ///   - claim: What is claimed.
  ///   - run: Returns the run that stands for a source, or nil when there is none.
  /// - Returns: What came out.
  /// - Throws: What `run` throws.
  public static func finding(
    of claim: Claim, run: (Claim.Source) throws -> Run?
  ) rethrows -> ClaimFinding {
    switch claim.evidence {
    case .notTestable(let reason): return ClaimFinding(outcome: .notTestable, reason: reason)
    case .computed(let formula, _):
      guard let assertion = claim.assertion, let value = try? formula.value() else {
        return ClaimFinding(outcome: .notMeasured, reason: "The formula has no value.")
      }
      let figure = ClaimFinding.Figure(
        estimate: IntervalEstimate(exactly: value.baseValue), dimension: value.dimension,
        launches: 0)
      return decided(assertion, before: nil, after: figure, change: nil)
    case .measured(let before, let after):
      guard let assertion = claim.assertion else {
        return ClaimFinding(outcome: .notMeasured, reason: "It claims nothing.")
      }
      var sides: [Side] = []
      for reading in [before, after].compactMap(\.self) {
        guard let run = try run(reading.source) else {
          return ClaimFinding(
            outcome: .notMeasured, reason: "There is no run of \(reading.source).")
        }
        guard let side = Side(reading, run) else {
          return ClaimFinding(
            outcome: .notMeasured,
            reason: "Run \(run.id) of \(reading.source) has no "
              + reading.formula.metrics.joined(separator: ", ") + ".")
        }
        sides.append(side)
      }
      var finding = decided(
        assertion, before: before.map { _ in sides[0].figure },
        after: sides[sides.count - 1].figure,
        change: before.flatMap { _ in change(assertion.subject, sides[0], sides[1]) })
      finding.runs = sides.map(\.run)
      return finding
    }
  }

  /// One side of a claim: the values of its launches and what they say together.
  private struct Side {
    let run: String
    let values: [Double]
    let figure: ClaimFinding.Figure

    /// Computes the formula of a reading launch by launch; nil when no launch has what it takes.
    init?(_ reading: Claim.Reading, _ run: Run) {
      self.run = run.id
      let dimension: Dimension?
      let estimate: IntervalEstimate?
      if reading.formula == .metric(MetricName.crashRate) {
        // A part of all launches, those that ended early too: their median would be 0 or 1.
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
      return (
        values.map(\.baseValue), values.first?.dimension ?? Self.plain(formula, dimensions)
      )
    }

    /// The dimension of a single metric, which may be a count or a share.
    private static func plain(_ formula: Formula, _ dimensions: [String: Dimension]) -> Dimension? {
      guard case .metric(let name) = formula else { return nil }
      return dimensions[name]
    }
  }

  /// Compares both sides as the claim does; nil when it is about one of them, or nothing to divide by.
  private static func change(
    _ subject: Assertion.Subject, _ before: Side, _ after: Side
  ) -> ClaimFinding.Figure? {
    let ratio: IntervalEstimate?
    switch subject {
    case .before, .after: return nil
    case .less: ratio = Self.ratio(before, by: after)
    case .more: ratio = Self.ratio(after, by: before)
    case .reduction: ratio = Self.ratio(after, by: before)?.mapped(isFalling: true) { 1 - $0 }
    }
    return ratio.map {
      ClaimFinding.Figure(
        estimate: $0, dimension: subject == .reduction ? .ratio : nil,
        launches: min(before.values.count, after.values.count))
    }
  }

  /// Returns how many times larger one side is than the other.
  ///
  /// Of positive values it is the shift of their logarithms, with its interval; where there are zeros it
  /// is the ratio of the estimates, without one. Nothing that stays nothing has not changed. Nil below
  /// zero.
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
      switch assertion.subject {
      case .before: before
      case .after: after
      case .less, .more, .reduction: change
      }
    guard let figure else {
      return ClaimFinding(
        outcome: .notMeasured, reason: "There is no ratio of a value below zero.",
        before: before, after: after)
    }
    let value = figure.estimate.value
    let holds = assertion.holds(for: value)
    let range = figure.estimate.widened
    let isClose =
      assertion.holds(for: range.lowerBound) != holds
      || assertion.holds(for: range.upperBound) != holds
    let reasons = [
      assertion.breach(by: value).map { "It is \($0)." },
      isClose ? "Close: a limit lies within the interval." : nil,
    ]
    return ClaimFinding(
      outcome: holds ? .reproduced : .contradicted,
      reason: reasons.compactMap(\.self).joined(separator: " "), before: before, after: after,
      change: change, isClose: isClose)
  }
}

extension IntervalEstimate {
  /// A number that is known exactly.
  fileprivate init(exactly value: Double) {
    self.init(
      value: value, low: nil, high: nil, confidence: 0.95, coverage: nil, method: .exact,
      valuesNeeded: 0)
  }

  /// Returns the estimate in another scale.
  fileprivate func mapped(isFalling: Bool = false, _ scale: (Double) -> Double) -> IntervalEstimate
  {
    let (low, high) = (low.map(scale), high.map(scale))
    return IntervalEstimate(
      value: scale(value), low: isFalling ? high : low, high: isFalling ? low : high,
      confidence: confidence, coverage: coverage, method: method, valuesNeeded: valuesNeeded)
  }

  /// The interval, or the estimate alone where so few values give none, with the drift of sessions.
  ///
  /// What is the same in every launch does not drift.
  fileprivate var widened: ClosedRange<Double> {
    let low = Swift.min(low ?? value, value)
    let high = Swift.max(high ?? value, value)
    guard low < high else { return value...value }
    let drift = 1 + RunComparer.drift
    return Swift.min(low / drift, low * drift)...Swift.max(high / drift, high * drift)
  }
}
