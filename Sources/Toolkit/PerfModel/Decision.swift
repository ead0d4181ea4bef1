/// A row of the ledger: a change, its measurement and the decision on it.
public struct Decision: Hashable, Sendable, Codable {
  /// The action taken on a change.
  public enum Resolution: String, Sendable, Codable {
    /// The change stays.
    case kept
    /// The change was reverted.
    case reverted
    /// The change stays without a measured effect.
    case noEffect = "no-effect"
  }

  /// The result of a gating metric.
  public struct MetricResult: Hashable, Sendable, Codable {
    /// The metric's name.
    public let metric: String
    /// The metric's definition, for display.
    public let definition: MetricDefinition
    /// The median of the base.
    public let base: Double?
    /// The median of the candidate.
    public let candidate: Double?
    /// The change in the metric's scale.
    public let estimate: Double?
    /// The lower end of the interval of the change.
    public let low: Double?
    /// The upper end of the interval of the change.
    public let high: Double?
    /// The verdict.
    public let verdict: ComparisonVerdict

    /// Creates the result of a metric's comparison.
    public init(_ metric: MetricComparison) {
      self.metric = metric.definition.name
      definition = metric.definition
      base = metric.base
      candidate = metric.candidate
      estimate = metric.estimate
      low = metric.low
      high = metric.high
      verdict = metric.verdict
    }

    /// The result as a comparison for display; the number of values is unknown.
    public var comparison: MetricComparison {
      MetricComparison(
        definition: definition, base: base, candidate: candidate,
        ratio: base.flatMap { base in
          base > 0 ? candidate.map { $0 / base } : nil
        }, estimate: estimate, low: low, high: high, p: nil, n: (0, 0), margin: nil,
        isGating: true, verdict: verdict)
    }
  }

  /// One side of the comparison.
  public struct Side: Hashable, Sendable, Codable {
    /// The run's id.
    public let run: String
    /// The commit, or nil.
    public fileprivate(set) var commit: String?
    /// The variant.
    public let variant: String

    /// Creates the side of a comparison.
    public init(_ side: Comparison.Side) {
      run = side.run
      commit = side.commit
      variant = side.variant
    }
  }

  /// The number in the ledger, from 1; 0 until the decision is stored.
  public var number: Int
  /// The time of the decision, in milliseconds since 1970.
  public let decided: Int64
  /// The id of the comparison.
  public let comparison: String
  /// The scenario.
  public let scenario: String
  /// The side before the change.
  public private(set) var base: Side
  /// The side after the change.
  public let candidate: Side
  /// The verdict of the comparison.
  public let verdict: ComparisonVerdict
  /// The verdict in words.
  public let sentence: String
  /// The results of the gating metrics.
  public let findings: [MetricResult]
  /// The action taken.
  public let outcome: Resolution
  /// The expected benefit of the change; may be empty.
  public let hypothesis: String
  /// A description of the change; may be empty.
  public let change: String
  /// The reason of the decision.
  public let because: String

  /// Creates a decision without a number; without a verdict it is the timed one.
  public init(
    _ comparison: Comparison, verdict: ComparisonVerdict? = nil, sentence: String,
    outcome: Resolution, hypothesis: String,
    change: String, because: String, decided: Timestamp
  ) {
    number = 0
    self.decided = decided.milliseconds
    self.comparison = comparison.id
    scenario = comparison.candidate.scenario
    base = Side(comparison.base)
    candidate = Side(comparison.candidate)
    self.verdict = verdict ?? comparison.verdict
    self.sentence = sentence
    findings = comparison.gating.map(MetricResult.init)
    self.outcome = outcome
    self.hypothesis = hypothesis
    self.change = change
    self.because = because
  }

  /// Whether it accepts a change of the gate's rules, which no run measured.
  public var isOfRules: Bool { base.run.isEmpty }

  /// Returns the decision with another commit as base, which lacks the change as well.
  public func moved(to commit: String) -> Decision {
    var decision = self
    decision.base.commit = commit
    return decision
  }

  /// Returns whether a regression was accepted by this decision.
  ///
  /// A kept decision with the same scenario, variants and base commit accepts a regression that is
  /// not worse than its own. It is worse if it exceeds the accepted estimate by more than the
  /// margin and its interval excludes that estimate.
  public func accepts(_ metric: MetricComparison, of comparison: Comparison) -> Bool {
    guard let before = accepted(metric, of: comparison)?.estimate, let estimate = metric.estimate
    else { return false }
    let margin = metric.margin ?? 0
    // For ratios, the difference is relative to the accepted value.
    let more =
      metric.definition.scale == .ratio && before > -1
      ? (estimate - before) / (1 + before) : estimate - before
    switch metric.definition.direction {
    case .lower: return more <= margin || metric.low.map { $0 <= before } ?? true
    case .higher: return -more <= margin || metric.high.map { $0 >= before } ?? true
    case .neutral: return false
    }
  }

  /// Returns the regression of a metric that the decision accepts on the comparison's base; nil if there is
  /// none.
  public func accepted(_ metric: MetricComparison, of comparison: Comparison) -> MetricResult? {
    guard outcome == .kept, scenario == comparison.candidate.scenario,
      candidate.variant == comparison.candidate.variant, base.variant == comparison.base.variant,
      let commit = base.commit, commit == comparison.base.commit
    else { return nil }
    return findings.first {
      $0.metric == metric.definition.name && $0.verdict == .regressed
        && $0.definition.scale == metric.definition.scale
    }
  }
}

extension [Decision] {
  /// The decisions that kept a change and are the latest on their comparison, in order.
  public var standing: [Decision] {
    filter { decision in
      decision.outcome == .kept && last { $0.comparison == decision.comparison } == decision
    }
  }
}
