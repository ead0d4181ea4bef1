/// What can be said of a change.
public enum ComparisonVerdict: String, Sendable, Codable {
  case regressed
  case improved
  case equivalent
  case inconclusive
  case void
}

/// What was measured of a metric in a base and in a candidate, and what follows.
public struct MetricComparison: Hashable, Sendable {
  /// The metric.
  public let definition: MetricDefinition
  /// The median of the base in base units; nil when it has none.
  public let base: Double?
  /// The median of the candidate.
  public let candidate: Double?
  /// Candidate over base; nil where the base is not positive.
  public let ratio: Double?
  /// The change in the metric's scale: 0.03 is 3 percent, or a difference in the base unit.
  public let estimate: Double?
  /// The interval of the change; a side may be open, then it is nil.
  public let low: Double?
  /// Its upper end.
  public let high: Double?
  /// The probability of such data without any change.
  public let p: Double?
  /// Values of the base and of the candidate; of pairs as many as there are pairs.
  public let n: (base: Int, candidate: Int)
  /// The smallest change worth acting on, in the metric's scale.
  public let margin: Double?
  /// Whether it decides.
  public let isGating: Bool
  /// What follows.
  public let verdict: ComparisonVerdict
  /// The number of pairs at which it was decided; nil where nothing was, and of unpaired runs.
  public let decidedAt: Int?
  /// How many further pairs would probably decide it; nil where that cannot be told.
  public let pairsNeeded: Int?
  /// Pairs that lack it because a launch of them failed; of unpaired runs the launches that failed where
  /// that leaves it open.
  public let failures: Int
  /// How much of the CPU's pace right before each launch was taken out of the values, from 0 to 1; nil when
  /// it is not known, and of unpaired runs.
  public let paceShare: Double?
  /// Why it is inconclusive, or what else a reader must know; may be empty.
  public let note: String

  /// Creates a comparison of a metric.
  public init(
    definition: MetricDefinition, base: Double?, candidate: Double?, ratio: Double?,
    estimate: Double?, low: Double?, high: Double?, p: Double?, n: (base: Int, candidate: Int),
    margin: Double?, isGating: Bool, verdict: ComparisonVerdict, decidedAt: Int? = nil,
    pairsNeeded: Int? = nil, failures: Int = 0, paceShare: Double? = nil,
    note: String = ""
  ) {
    self.definition = definition
    self.base = base
    self.candidate = candidate
    self.ratio = ratio
    self.estimate = estimate
    self.low = low
    self.high = high
    self.p = p
    self.n = n
    self.margin = margin
    self.isGating = isGating
    self.verdict = verdict
    self.decidedAt = decidedAt
    self.pairsNeeded = pairsNeeded
    self.failures = failures
    self.paceShare = paceShare
    self.note = note
  }

  /// Whether two comparisons agree in everything.
  public static func == (first: Self, second: Self) -> Bool {
    first.definition == second.definition && first.base == second.base
      && first.candidate == second.candidate && first.ratio == second.ratio
      && first.estimate == second.estimate && first.low == second.low
      && first.high == second.high && first.p == second.p && first.n == second.n
      && first.margin == second.margin && first.isGating == second.isGating
      && first.verdict == second.verdict && first.decidedAt == second.decidedAt
      && first.pairsNeeded == second.pairsNeeded && first.failures == second.failures
      && first.paceShare == second.paceShare
      && first.note == second.note
  }

  /// Feeds what tells comparisons of different metrics apart.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(definition)
    hasher.combine(base)
    hasher.combine(candidate)
  }
}

/// The change of a function's CPU time per launch.
public struct FunctionComparison: Hashable, Sendable {
  /// Whether callees are counted.
  public enum Kind: String, Sendable, Codable {
    /// The function alone.
    case own = "self"
    /// With all that it calls.
    case total
  }

  /// The function's name for display.
  public let name: String
  /// The name by which the two sides were matched.
  public let key: String
  /// What is counted.
  public let kind: Kind
  /// CPU nanoseconds a launch in the base.
  public let base: Double
  /// CPU nanoseconds a launch in the candidate.
  public let candidate: Double
  /// Candidate minus base.
  public let difference: Double
  /// Lower end of the interval of the difference, or nil.
  public let low: Double?
  /// Upper end, or nil.
  public let high: Double?
  /// The error rate at which it would be named (its p-value, adjusted for all functions), or nil.
  public let q: Double?
  /// Whether it is named.
  public let isSignificant: Bool

  /// Creates a comparison of a function.
  public init(
    name: String, key: String, kind: Kind, base: Double, candidate: Double, low: Double?,
    high: Double?, q: Double?, isSignificant: Bool
  ) {
    self.name = name
    self.key = key
    self.kind = kind
    self.base = base
    self.candidate = candidate
    self.difference = candidate - base
    self.low = low
    self.high = high
    self.q = q
    self.isSignificant = isSignificant
  }
}

/// A base and a candidate, metric by metric, and the verdict.
public struct Comparison: Sendable {
  /// One side, in words.
  public struct Side: Hashable, Sendable, Codable {
    /// The run's id.
    public let run: String
    /// The scenario.
    public let scenario: String
    /// The variant.
    public let variant: String
    /// The label, or nil.
    public let label: String?
    /// The commit, or nil.
    public let commit: String?
    /// When it was measured.
    public let started: Timestamp

    /// Creates a side.
    public init(
      run: String, scenario: String, variant: String, label: String?, commit: String?,
      started: Timestamp
    ) {
      self.run = run
      self.scenario = scenario
      self.variant = variant
      self.label = label
      self.commit = commit
      self.started = started
    }

    /// Creates the side of a run.
    public init(_ run: Run) {
      self.init(
        run: run.id, scenario: run.scenario, variant: run.variant, label: run.label,
        commit: run.environment[.commit], started: run.started)
    }
  }

  /// How the launches of both sides were made together.
  public struct Pairing: Hashable, Sendable {
    /// How many pairs there are.
    public let pairs: Int
    /// How many launches of each side make a pair.
    public let launchesPerPair: Int
    /// Whether everything that gates is decided: more pairs change nothing.
    public let isDecided: Bool

    /// Creates a pairing.
    public init(pairs: Int, launchesPerPair: Int, isDecided: Bool) {
      self.pairs = pairs
      self.launchesPerPair = launchesPerPair
      self.isDecided = isDecided
    }
  }

  /// An id made of both runs' ids.
  public let id: String
  /// What it was before.
  public let base: Side
  /// What it is now.
  public let candidate: Side
  /// The error probability of the verdict.
  public let alpha: Double
  /// The seed of what was random in the comparison.
  public let seed: UInt64
  /// How the launches were interleaved; nil of runs that were measured one after the other.
  public let pairing: Pairing?
  /// How many sessions of a baseline the base stands for; nil where it is one run.
  public let sessions: Int?
  /// The metrics, gating ones first, then in the catalog's order.
  public let metrics: [MetricComparison]
  /// The functions, largest change first; empty when a side has no profile.
  public let functions: [FunctionComparison]
  /// In what the environments differ.
  public let environmentDifferences: [Environment.Difference]
  /// What a reader must know.
  public let warnings: [RunWarning]
  /// What follows of it all.
  public let verdict: ComparisonVerdict

  /// Creates a comparison.
  public init(
    id: String, base: Side, candidate: Side, alpha: Double, seed: UInt64, pairing: Pairing? = nil,
    sessions: Int? = nil, metrics: [MetricComparison], functions: [FunctionComparison],
    environmentDifferences: [Environment.Difference], warnings: [RunWarning],
    verdict: ComparisonVerdict
  ) {
    self.id = id
    self.base = base
    self.candidate = candidate
    self.alpha = alpha
    self.seed = seed
    self.pairing = pairing
    self.sessions = sessions
    self.metrics = metrics
    self.functions = functions
    self.environmentDifferences = environmentDifferences
    self.warnings = warnings
    self.verdict = verdict
  }
}
