/// A row of the ledger: what was tried, what was measured, and what was done about it.
public struct Decision: Hashable, Sendable, Codable {
  /// What was done with the change.
  public enum Resolution: String, Sendable, Codable {
    /// It stays.
    case kept
    /// It was taken back.
    case reverted
    /// It stays, though it has no effect that was measured.
    case noEffect = "no-effect"
  }

  /// What was measured of a metric that decided.
  public struct MetricResult: Hashable, Sendable, Codable {
    /// The metric.
    public let metric: String
    /// Its dimension and scale, to be shown by.
    public let definition: MetricDefinition
    /// The median before.
    public let base: Double?
    /// The median after.
    public let candidate: Double?
    /// The change in the metric's scale.
    public let estimate: Double?
    /// The interval of the change.
    public let low: Double?
    /// Its upper end.
    public let high: Double?
    /// What followed.
    public let verdict: ComparisonVerdict

    /// Creates the finding of a metric's comparison.
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

    /// It in the form in which comparisons are shown; how many values it is of is no longer known.
    public var comparison: MetricComparison {
      MetricComparison(
        definition: definition, base: base, candidate: candidate,
        ratio: base.flatMap { base in
          base > 0 ? candidate.map { $0 / base } : nil
        }, estimate: estimate, low: low, high: high, p: nil, n: (0, 0), margin: nil,
        isGating: true, verdict: verdict)
    }
  }

  /// One side of what was compared.
  public struct Side: Hashable, Sendable, Codable {
    /// The run's id.
    public let run: String
    /// The commit, or nil.
    public let commit: String?
    /// The variant.
    public let variant: String

    /// Creates the side of a comparison.
    public init(_ side: Comparison.Side) {
      self.init(run: side.run, commit: side.commit, variant: side.variant)
    }

    fileprivate init(run: String, commit: String?, variant: String) {
      self.run = run
      self.commit = commit
      self.variant = variant
    }
  }

  /// Its number in the ledger, from 1.
  public var number: Int
  /// When it was made, in milliseconds since 1970.
  public let decided: Int64
  /// The comparison that it stands on.
  public let comparison: String
  /// The scenario.
  public let scenario: String
  /// What it was before.
  public private(set) var base: Side
  /// What it is now.
  public let candidate: Side
  /// The verdict of the comparison.
  public let verdict: ComparisonVerdict
  /// The verdict in words.
  public let sentence: String
  /// The metrics that decided.
  public let findings: [MetricResult]
  /// What was done.
  public let outcome: Resolution
  /// Why the change should have helped; may be empty.
  public let hypothesis: String
  /// What was changed; may be empty.
  public let change: String
  /// Why it was decided so.
  public let because: String

  /// Creates a decision; its number is given when it is stored.
  public init(
    _ comparison: Comparison, sentence: String, outcome: Resolution, hypothesis: String,
    change: String, because: String, decided: Timestamp
  ) {
    number = 0
    self.decided = decided.milliseconds
    self.comparison = comparison.id
    scenario = comparison.candidate.scenario
    base = Side(comparison.base)
    candidate = Side(comparison.candidate)
    verdict = comparison.verdict
    self.sentence = sentence
    findings = comparison.metrics.filter(\.isGating).map(MetricResult.init)
    self.outcome = outcome
    self.hypothesis = hypothesis
    self.change = change
    self.because = because
  }

  /// Returns the decision as of another base, which lacks the change as well.
  public func moved(to commit: String) -> Decision {
    var decision = self
    decision.base = Side(run: base.run, commit: commit, variant: base.variant)
    return decision
  }

  /// Whether a regression was accepted by it: same scenario and variant, from the same commit, and
  /// not worse than what was accepted.
  ///
  /// It is worse when it goes beyond the accepted estimate by more than the margin, and its interval
  /// leaves out that estimate. A base with the change in it is another one: there the decision speaks
  /// of nothing any more.
  ///
  /// - Parameters:
  ///   - metric: What has regressed.
  ///   - comparison: The comparison that it is of.
  /// - Returns: Whether the gate may pass over it.
  public func accepts(_ metric: MetricComparison, of comparison: Comparison) -> Bool {
    guard outcome == .kept, scenario == comparison.candidate.scenario,
      candidate.variant == comparison.candidate.variant, base.variant == comparison.base.variant,
      let commit = base.commit, commit == comparison.base.commit,
      let accepted = findings.first(where: { $0.metric == metric.definition.name }),
      accepted.verdict == .regressed, accepted.definition.scale == metric.definition.scale,
      let before = accepted.estimate, let estimate = metric.estimate
    else { return false }
    let margin = metric.margin ?? 0
    // Of ratios what came on top of what was accepted, as a share of that.
    let more =
      metric.definition.scale == .ratio && before > -1
      ? (estimate - before) / (1 + before) : estimate - before
    switch metric.definition.direction {
    case .lower: return more <= margin || metric.low.map { $0 <= before } ?? true
    case .higher: return -more <= margin || metric.high.map { $0 >= before } ?? true
    case .neutral: return false
    }
  }
}

extension [Decision] {
  /// What was kept, and not decided otherwise later on the same comparison; the order is the ledger's.
  public var standing: [Decision] {
    filter { decision in
      decision.outcome == .kept && last { $0.comparison == decision.comparison } == decision
    }
  }
}
