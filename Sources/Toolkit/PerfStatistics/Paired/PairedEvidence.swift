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
  /// Whether the environments differ in what matters, or a control moved.
  public let isVoid: Bool
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
  ///   - pairs: The launches.
  public init(
    _ comparison: Comparison, design: ComparisonDesign, definitions: [MetricDefinition],
    gating: [String], pairs: [LaunchPair]
  ) {
    schema = "perfkit.evidence/1"
    self.comparison = comparison.id
    self.design = design
    self.definitions = definitions
    self.gating = gating
    isVoid = comparison.verdict == .void
    self.pairs = pairs
    findings = comparison.metrics.map(Finding.init)
    verdict = comparison.verdict
  }

  /// Computes everything again, and says where it comes out otherwise.
  ///
  /// - Parameter tolerance: How far an estimate or an end of an interval may be off, in its scale.
  /// - Returns: A line for each difference; none when all is as it was said.
  /// - Throws: `StatisticsError.nothingGates` or `outOfRange` when the evidence cannot be judged.
  public func differences(tolerance: Double = 1e-9) throws(StatisticsError) -> [String] {
    var judge = try SequentialJudge(
      definitions, policy: design.policy, gating: gating, gatingCount: design.gatingCount,
      launchesPerPair: design.launchesPerPair ?? 0, seed: design.seed)
    for pair in pairs { judge.add(pair) }
    let found = Dictionary(
      judge.judgements.map { ($0.definition.name, Finding($0.comparison)) }
    ) { first, _ in first }
    var lines: [String] = []
    let verdict = judge.verdict(isVoid: isVoid)
    if verdict != self.verdict { lines.append("the verdict is \(verdict), not \(self.verdict)") }
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
