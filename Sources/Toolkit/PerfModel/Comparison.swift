/// The verdict on a change.
public enum ComparisonVerdict: String, Sendable, Codable {
  case regressed
  case improved
  case equivalent
  case inconclusive
  case void
}

/// The launches of both sides that are slow: farther from the best launch of their pair.
public struct SlowLaunches: Hashable, Sendable {
  /// The share of the base's launches, 0...1.
  public let base: Double
  /// The share of the candidate's launches, 0...1.
  public let candidate: Double
  /// The least distance from the best launch of the pair, in the metric's scale.
  public let beyond: Double

  /// Creates the shares of both sides.
  public init(base: Double, candidate: Double, beyond: Double) {
    (self.base, self.candidate, self.beyond) = (base, candidate, beyond)
  }

  /// Both shares in words, such as `8% to 52%`.
  public var shares: String {
    let shares = [base, candidate].map { NumberFormat.human($0, .ratio, digits: 2) }
    return shares.joined(separator: " to ")
  }
}

/// The part of a metric's variation that the layout of the linked programs causes.
public struct LayoutEffect: Hashable, Sendable {
  /// The share of the variance of a pair's difference, 0...1.
  public let share: Double
  /// The standard deviation of the change that layout alone causes, in the metric's scale.
  public let deviation: Double

  /// Creates the effect.
  public init(share: Double, deviation: Double) {
    (self.share, self.deviation) = (share, deviation)
  }
}

/// The comparison of one metric: its values in base and candidate, its change and the verdict.
public struct MetricComparison: Hashable, Sendable {
  /// A number for each side.
  public struct Counts: Hashable, Sendable {
    /// The number of the base.
    public var base: Int
    /// The number of the candidate.
    public var candidate: Int

    /// Creates the numbers of both sides.
    public init(base: Int, candidate: Int) {
      self.base = base
      self.candidate = candidate
    }
  }

  /// The metric.
  public let definition: MetricDefinition
  /// The median of the base in the base unit; nil if it has no values.
  public let base: Double?
  /// The median of the candidate in the base unit; nil if it has no values.
  public let candidate: Double?
  /// The candidate divided by the base; nil if the base is not positive.
  public let ratio: Double?
  /// The change in the metric's scale: 0.03 for 3 percent, or a difference in the base unit.
  public let estimate: Double?
  /// The lower end of the interval of the change; nil if open.
  public let low: Double?
  /// The upper end of the interval of the change; nil if open.
  public let high: Double?
  /// The largest change for the worse of an undecided metric in the metric's scale, with an error of
  /// 5 % over all looks; nil if decided, unknown or not paired.
  public let worst: Double?
  /// The probability of such data without a change.
  public let p: Double?
  /// The number of values of each side; for paired runs, the number of pairs.
  public let n: Counts
  /// The smallest change worth acting on, in the metric's scale.
  public let margin: Double?
  /// Whether the metric gates.
  public let isGating: Bool
  /// The verdict.
  public let verdict: ComparisonVerdict
  /// The number of pairs at which the metric was decided; nil if undecided or not paired.
  public let decidedAt: Int?
  /// The probable number of further pairs until a decision; nil if unknown.
  public let pairsNeeded: Int?
  /// The pairs without a value because a launch failed; for unpaired runs, the failed launches that
  /// leave the metric undecided.
  public let failures: Int
  /// The share of the CPU's pace that was removed from the values, from 0 to 1; nil if unknown or
  /// not paired.
  public let paceShare: Double?
  /// The part of the variation that layout causes; nil if each side was linked once, or if it is unknown.
  public let layout: LayoutEffect?
  /// The slow launches, if the verdict is about them: then values and change are those of the mean of
  /// all launches.
  public let slowLaunches: SlowLaunches?
  /// The reason of an inconclusive verdict, or another remark; may be empty.
  public let note: String

  /// Creates a comparison of a metric.
  public init(
    definition: MetricDefinition, base: Double?, candidate: Double?, ratio: Double?,
    estimate: Double?, low: Double?, high: Double?, p: Double?, n: (base: Int, candidate: Int),
    worst: Double? = nil, margin: Double?, isGating: Bool, verdict: ComparisonVerdict,
    decidedAt: Int? = nil,
    pairsNeeded: Int? = nil, failures: Int = 0, paceShare: Double? = nil,
    layout: LayoutEffect? = nil, slowLaunches: SlowLaunches? = nil, note: String = ""
  ) {
    self.definition = definition
    self.base = base
    self.candidate = candidate
    self.ratio = ratio
    self.estimate = estimate
    self.low = low
    self.high = high
    self.worst = worst
    self.p = p
    self.n = Counts(base: n.base, candidate: n.candidate)
    self.margin = margin
    self.isGating = isGating
    self.verdict = verdict
    self.decidedAt = decidedAt
    self.pairsNeeded = pairsNeeded
    self.failures = failures
    self.paceShare = paceShare
    self.layout = layout
    self.slowLaunches = slowLaunches
    self.note = note
  }
}

/// A comparison of a base and a candidate, metric by metric, with its verdict.
public struct Comparison: Sendable {
  /// The identity of one side.
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
    /// The start of the run.
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

  /// The pairing of launches of both sides.
  public struct Pairing: Hashable, Sendable {
    /// The number of pairs.
    public let pairs: Int
    /// The launches per side and pair.
    public let launchesPerPair: Int
    /// Whether all gating metrics are decided, so that further pairs change nothing.
    public let isDecided: Bool
    /// The mean duration of a pair in nanoseconds; nil if unknown.
    public var timePerPair: Double?
    /// The most pairs that the command makes; nil if unknown.
    public var maxPairs: Int?
    /// The number of links of each side that the pairs take in turn; 1 for a single link.
    public let layouts: Int

    /// Creates a pairing.
    public init(
      pairs: Int, launchesPerPair: Int, isDecided: Bool, timePerPair: Double? = nil,
      maxPairs: Int? = nil, layouts: Int = 1
    ) {
      self.pairs = pairs
      self.launchesPerPair = launchesPerPair
      self.isDecided = isDecided
      self.timePerPair = timePerPair
      self.maxPairs = maxPairs
      self.layouts = layouts
    }
  }

  /// An id made of the ids of both runs.
  public var id: String
  /// The side before the change.
  public let base: Side
  /// The side after the change.
  public let candidate: Side
  /// The error probability of the verdict.
  public let alpha: Double
  /// The seed of the randomness in the comparison.
  public let seed: UInt64
  /// The pairing of launches; nil for runs that were measured one after the other.
  public var pairing: Pairing?
  /// The number of sessions in the baseline; nil if the base is a single run.
  public let sessions: Int?
  /// Whether both sides are the same program with the same parameters and inputs, so that nothing was
  /// measured.
  public let isSameProgram: Bool
  /// The metrics: gating ones first, then in the order of the catalog.
  public var metrics: [MetricComparison]
  /// The functions, largest change first; empty if a side has no profile.
  public var functions: [FunctionComparison]
  /// The functions by their allocations; nil if a side's allocations were not sampled.
  public var allocations: AllocationComparison?
  /// The differences between the environments.
  public let environmentDifferences: [Environment.Difference]
  /// Warnings for the reader.
  public var warnings: [RunWarning]
  /// The verdict on the whole comparison, counted work aside.
  public var verdict: ComparisonVerdict
  /// The comparison of the counted work; nil if it was not counted.
  public var work: WorkComparison?

  /// The gating metrics: timed ones, then counted ones.
  public var gating: [MetricComparison] { (metrics + (work?.metrics ?? [])).filter(\.isGating) }

  /// Creates a comparison without counted work.
  public init(
    id: String, base: Side, candidate: Side, alpha: Double, seed: UInt64, pairing: Pairing? = nil,
    sessions: Int? = nil, isSameProgram: Bool = false, metrics: [MetricComparison],
    functions: [FunctionComparison],
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
    self.isSameProgram = isSameProgram
    self.metrics = metrics
    self.functions = functions
    self.environmentDifferences = environmentDifferences
    self.warnings = warnings
    self.verdict = verdict
  }
}
