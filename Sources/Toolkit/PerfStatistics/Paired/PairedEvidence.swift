public import PerfModel

/// The launches and verdicts of a paired comparison, with which a reader can compute it again.
///
/// An HTML report contains it.
public struct PairedEvidence: Hashable, Sendable, Codable {
  /// The verdict on one metric.
  public struct MetricFinding: Hashable, Sendable, Codable {
    /// The metric's name.
    public let metric: String
    /// Its verdict.
    public let verdict: ComparisonVerdict
    /// The change in the metric's scale.
    public let estimate: Double?
    /// The lower limit of the interval of the change.
    public let low: Double?
    /// The upper limit of the interval of the change.
    public let high: Double?

    /// Creates the finding of a metric's comparison.
    public init(_ metric: MetricComparison) {
      self.metric = metric.definition.name
      verdict = metric.verdict
      estimate = metric.estimate
      low = metric.low
      high = metric.high
    }
  }

  /// The format that this version writes and reads.
  public static let form = "perfkit.evidence/3"

  /// The format of the data.
  public let schema: String
  /// The ID of the comparison.
  public let comparison: String
  /// The design, fixed before the first pair.
  public let design: ComparisonDesign
  /// The metrics that the launches may have.
  public let definitions: [MetricDefinition]
  /// The names of the gating metrics.
  public let gating: [String]
  /// The side before the change.
  public let base: Comparison.Side
  /// The side after the change.
  public let candidate: Comparison.Side
  /// The environment of the base.
  public let baseEnvironment: Environment
  /// The environment of the candidate.
  public let candidateEnvironment: Environment
  /// The warning that a control moved; nil if none did.
  public let movedControl: RunWarning?
  /// The warning that a control was not measured as planned; nil if all were.
  public let unknownControl: RunWarning?
  /// All launches, pair by pair.
  public let pairs: [LaunchPair]
  /// The nanoseconds of a pair, from which the time until a decision is forecast; nil if unknown.
  public let timePerPair: Double?
  /// The verdict on each metric.
  public let findings: [MetricFinding]
  /// The verdict of the comparison.
  public let verdict: ComparisonVerdict
  /// The counts of the work; nil if it was not counted.
  public let work: WorkEvidence?
  /// The verdict on each counted metric; nil if the work was not counted.
  public let workFindings: [MetricFinding]?
  /// The verdict on time and work together; nil if the work was not counted.
  public let combined: ComparisonVerdict?

  /// Creates the evidence of a comparison; its design has the number of launches per pair.
  public init(
    _ comparison: Comparison, design: ComparisonDesign, definitions: [MetricDefinition],
    gating: [String], environments: (base: Environment, candidate: Environment),
    pairs: [LaunchPair], work: WorkEvidence? = nil
  ) {
    schema = Self.form
    self.comparison = comparison.id
    self.design = design
    self.definitions = definitions
    self.gating = gating
    (base, candidate) = (comparison.base, comparison.candidate)
    (baseEnvironment, candidateEnvironment) = environments
    movedControl = comparison.warnings.first { $0.code == PairedComparer.controlMoved }
    unknownControl = comparison.warnings.first { $0.code == PairedComparer.controlUnknown }
    self.pairs = pairs
    timePerPair = comparison.pairing?.timePerPair
    findings = comparison.metrics.map(MetricFinding.init)
    verdict = comparison.verdict
    self.work = work?.compact
    workFindings = comparison.work?.metrics.map(MetricFinding.init)
    combined = comparison.work.map { _ in comparison.combined }
  }

  /// Computes the comparison again from the launches, with the metrics in the order of `findings`.
  ///
  /// The result has no profiled functions, and only the warnings about controls and environments.
  ///
  /// - Throws: `StatisticsError.nothingGates` or `outOfRange` if the evidence cannot be judged.
  public func judgedAgain() throws(StatisticsError) -> Comparison {
    let launches = design.launchesPerPair ?? 0
    var judge = try SequentialJudge(
      definitions, policy: design.policy, gating: gating, gatingCount: design.errorShares,
      launchesPerPair: launches, layouts: design.layouts ?? 1)
    for pair in pairs { judge.add(pair) }
    let found = Dictionary(
      judge.judgements.map { ($0.definition.name, $0.comparison) }
    ) { first, _ in first }
    let differences = baseEnvironment.differences(to: candidateEnvironment)
    let isVoid =
      movedControl != nil
      || !design.allowsDifferentEnvironments && differences.contains(where: \.voids)
    var again = Comparison(
      id: comparison, base: base, candidate: candidate, alpha: RunComparer.alpha,
      seed: design.seed,
      pairing: .init(
        pairs: pairs.count, launchesPerPair: launches, isDecided: judge.isDecided,
        timePerPair: timePerPair, maxPairs: design.maxPairs, layouts: design.layouts ?? 1),
      metrics: findings.compactMap { found[$0.metric] }, functions: [],
      environmentDifferences: differences,
      warnings: [movedControl, unknownControl].compactMap(\.self)
        + GatingMetrics.warnings(missing: judge.missing)
        + RunComparer.environments(
          baseEnvironment, candidateEnvironment, areAllowed: design.allowsDifferentEnvironments),
      verdict: judge.verdict(isVoid: isVoid, hasUnknownControl: unknownControl != nil))
    again.work = work?.comparison
    return again
  }

  /// Returns a line for each difference to the comparison from `judgedAgain()`.
  ///
  /// The tolerance of an estimate or a limit is relative above 1 and absolute below.
  public func differences(to again: Comparison, tolerance: Double = 1e-9) -> [String] {
    let found = Dictionary(
      (again.metrics + (again.work?.metrics ?? [])).map { ($0.definition.name, MetricFinding($0)) }
    ) { first, _ in first }
    var lines: [String] = []
    if again.verdict != verdict { lines.append("the verdict is \(again.verdict), not \(verdict)") }
    if let combined, again.combined != combined {
      lines.append("the verdict on time and work is \(again.combined), not \(combined)")
    }
    for stored in findings + (workFindings ?? []) {
      guard let again = found[stored.metric] else {
        lines.append("\(stored.metric) was not measured")
        continue
      }
      if again.verdict != stored.verdict {
        lines.append("\(stored.metric) is \(again.verdict), not \(stored.verdict)")
      }
      for (name, new, old) in [
        ("estimate", again.estimate, stored.estimate), ("lower limit", again.low, stored.low),
        ("upper limit", again.high, stored.high),
      ] where !Self.agree(new, old, tolerance) {
        lines.append(
          "\(stored.metric): the \(name) is \(Self.text(new)), not \(Self.text(old))")
      }
    }
    return lines
  }

  private static func agree(_ first: Double?, _ second: Double?, _ tolerance: Double) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return (first - second).magnitude <= tolerance * max(1, first.magnitude, second.magnitude)
  }

  private static func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "none" }
}
