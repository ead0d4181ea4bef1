/// The comparison of the counted work of two sides.
///
/// Counts of executed instructions depend on the program and its input, and hardly on the machine's
/// load. They say whether a change does more work, and nothing about how long the work takes.
public struct WorkComparison: Hashable, Sendable {
  /// The instructions of one function, without callees.
  public struct Function: Hashable, Sendable {
    /// The displayed name.
    public let name: String
    /// The name by which the two sides are matched.
    public let key: String
    /// The file name of the program or library, or nil.
    public let module: String?
    /// The mean instructions per launch of the base.
    public let base: Double
    /// The mean instructions per launch of the candidate.
    public let candidate: Double
    /// The mean calls per launch of the base.
    public let baseCalls: Double
    /// The mean calls per launch of the candidate.
    public let candidateCalls: Double
    /// The largest difference of instructions between two launches of one side.
    public let spread: Double
    /// Candidate minus base, in simulated data misses per launch; nil unless both sides have them.
    public let dataMissDifference: Double?

    /// Candidate minus base, in instructions per launch.
    public var difference: Double { candidate - base }
    /// Whether the difference exceeds the spread.
    public var isChanged: Bool { difference.magnitude > spread }

    /// Creates the comparison of a function.
    public init(
      name: String, key: String, module: String?, base: Double, candidate: Double,
      baseCalls: Double, candidateCalls: Double, spread: Double,
      dataMissDifference: Double? = nil
    ) {
      self.name = name
      self.key = key
      self.module = module
      self.base = base
      self.candidate = candidate
      self.baseCalls = baseCalls
      self.candidateCalls = candidateCalls
      self.spread = spread
      self.dataMissDifference = dataMissDifference
    }
  }

  /// The relative spread of instructions between equal launches of each side.
  public struct Nondeterminism: Hashable, Sendable {
    /// The largest count of the base minus its smallest, divided by its median.
    public let base: Double
    /// The same of the candidate.
    public let candidate: Double

    /// The larger one.
    public var largest: Double { max(base, candidate) }

    /// Creates the spread of both sides.
    public init(base: Double, candidate: Double) {
      self.base = base
      self.candidate = candidate
    }
  }

  /// The counted metrics, gating ones first.
  public let metrics: [MetricComparison]
  /// The functions with a difference, largest first.
  public let functions: [Function]
  /// The spread of equal launches.
  public let nondeterminism: Nondeterminism
  /// Whether equal launches differ so little that their counts are judged.
  public let isDeterministic: Bool
  /// Whether only counted metrics gate.
  public let isAlone: Bool
  /// The verdict on the work; inconclusive for a nondeterministic program.
  public let verdict: ComparisonVerdict

  /// Creates a comparison of work.
  public init(
    metrics: [MetricComparison], functions: [Function], nondeterminism: Nondeterminism,
    isDeterministic: Bool, isAlone: Bool, verdict: ComparisonVerdict
  ) {
    self.metrics = metrics
    self.functions = functions
    self.nondeterminism = nondeterminism
    self.isDeterministic = isDeterministic
    self.isAlone = isAlone
    self.verdict = verdict
  }

  /// At most three functions that explain more or less work, largest change first.
  ///
  /// They changed by more than their spread and by at least a tenth of the largest change.
  public var culprits: [Function] {
    guard verdict == .regressed || verdict == .improved else { return [] }
    let changed = functions.filter(\.isChanged)
    guard let first = changed.first else { return [] }
    return Array(
      changed.prefix { $0.difference.magnitude >= first.difference.magnitude / 10 }.prefix(3))
  }
}

extension Scenario.GatePolicy {
  /// The margin of a counted metric without a margin.
  public static let workMargin = Scenario.Margin(relative: 0.005)

  /// The gating metrics except the counted ones.
  public var timed: Scenario.GatePolicy {
    Scenario.GatePolicy(
      margin: margin, metrics: metrics.filter { !MetricName.work.contains($0.key) })
  }

  /// The gating counted metrics, `work.instructions` if none is named.
  public var counted: Scenario.GatePolicy {
    let named = metrics.filter { MetricName.work.contains($0.key) }
    return Scenario.GatePolicy(
      margin: Self.workMargin,
      metrics: named.isEmpty ? [MetricName.workInstructions: nil] : named)
  }

  /// Whether a counted metric is named.
  public var namesWork: Bool { timed.metrics.count < metrics.count }

  /// Whether counted metrics are named, and no others.
  public var namesOnlyWork: Bool { namesWork && timed.metrics.isEmpty }
}
