public import PerfModel

/// All that a paired comparison's verdict follows from, and what followed: a report carries it, so that
/// anybody can compute it again.
public struct PairedEvidence: Hashable, Sendable, Codable {
  /// What was found of a metric.
  public struct Finding: Hashable, Sendable, Codable {
    /// The metric's name.
    public let metric: String
    /// Its verdict.
    public let verdict: ComparisonVerdict
    /// The change in the metric's scale.
    public let estimate: Double?
    /// The interval of the change.
    public let low: Double?
    /// Its upper end.
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

  /// The form of the data that is written.
  public static let form = "perfkit.evidence/3"
  /// The form that is read as well: its launches are the same, and reports of it may say the same of them
  /// in other words.
  public static let olderForm = "perfkit.evidence/2"

  /// The form of the data.
  public let schema: String
  /// The comparison's id.
  public let comparison: String
  /// What was decided before the first pair.
  public let design: ComparisonDesign
  /// The metrics that the launches may have.
  public let definitions: [MetricDefinition]
  /// The names of those that decide.
  public let gating: [String]
  /// What it was before.
  public let base: Comparison.Side
  /// What it is now.
  public let candidate: Comparison.Side
  /// The machine and the build of the base.
  public let baseEnvironment: Environment
  /// Those of the candidate.
  public let candidateEnvironment: Environment
  /// What says that a control moved; nil when none did.
  public let movedControl: RunWarning?
  /// What says that a control was not measured as planned; nil when all were.
  public let unknownControl: RunWarning?
  /// Every launch, pair by pair.
  public let pairs: [LaunchPair]
  /// What followed for each metric.
  public let findings: [Finding]
  /// What followed of it all.
  public let verdict: ComparisonVerdict

  /// Creates the evidence of a comparison.
  ///
  /// - Parameters:
  ///   - comparison: What followed.
  ///   - design: What was decided before the first pair, with the launches a pair.
  ///   - definitions: The metrics that the launches may have.
  ///   - gating: Names of those that decide.
  ///   - environments: Of both sides.
  ///   - pairs: The launches.
  public init(
    _ comparison: Comparison, design: ComparisonDesign, definitions: [MetricDefinition],
    gating: [String], environments: (base: Environment, candidate: Environment),
    pairs: [LaunchPair]
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
    findings = comparison.metrics.map(Finding.init)
    verdict = comparison.verdict
  }

  /// Whether it is of the older form.
  public var isOlder: Bool { schema == Self.olderForm }

  /// Computes the comparison again: without functions, and of its warnings with those about controls, or
  /// that say that the environments differ.
  ///
  /// - Returns: What follows, with the metrics in the order of `findings`.
  /// - Throws: `StatisticsError.nothingGates` or `outOfRange` when the evidence cannot be judged.
  public func judgedAgain() throws(StatisticsError) -> Comparison {
    let launches = design.launchesPerPair ?? 0
    var judge = try SequentialJudge(
      definitions, policy: design.policy, gating: gating, gatingCount: design.gatingCount,
      launchesPerPair: launches, seed: design.seed)
    for pair in pairs { judge.add(pair) }
    let found = Dictionary(
      judge.judgements.map { ($0.definition.name, $0.comparison) }
    ) { first, _ in first }
    let differences = baseEnvironment.differences(to: candidateEnvironment)
    let isVoid =
      movedControl != nil
      || !design.allowsDifferentEnvironments && differences.contains(where: \.voids)
    return Comparison(
      id: comparison, base: base, candidate: candidate, alpha: RunComparer.alpha,
      seed: design.seed,
      pairing: .init(
        pairs: pairs.count, launchesPerPair: launches, isDecided: judge.isDecided),
      metrics: findings.compactMap { found[$0.metric] }, functions: [],
      environmentDifferences: differences,
      warnings: [movedControl, unknownControl].compactMap(\.self)
        + RunComparer.environments(
          baseEnvironment, candidateEnvironment, areAllowed: design.allowsDifferentEnvironments),
      verdict: judge.verdict(isVoid: isVoid, hasUnknownControl: unknownControl != nil))
  }

  /// Says where what was found is not what follows.
  ///
  /// - Parameters:
  ///   - again: What follows, from `judgedAgain()`.
  ///   - tolerance: How far an estimate or an end of an interval may be off, in its scale.
  /// - Returns: A line for each difference; none when all is as it was said.
  public func differences(to again: Comparison, tolerance: Double = 1e-9) -> [String] {
    let found = Dictionary(
      again.metrics.map { ($0.definition.name, Finding($0)) }
    ) { first, _ in first }
    var lines: [String] = []
    if again.verdict != verdict { lines.append("the verdict is \(again.verdict), not \(verdict)") }
    for said in findings {
      guard let again = found[said.metric] else {
        lines.append("\(said.metric) was not measured")
        continue
      }
      if again.verdict != said.verdict {
        lines.append("\(said.metric) is \(again.verdict), not \(said.verdict)")
      }
      for (name, new, old) in [
        ("estimate", again.estimate, said.estimate), ("lower end", again.low, said.low),
        ("upper end", again.high, said.high),
      ] where !Self.agree(new, old, tolerance) {
        lines.append(
          "\(said.metric): the \(name) is \(Self.text(new)), not \(Self.text(old))")
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
