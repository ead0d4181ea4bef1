/// A sequence of tried changes, each measured against the last kept state.
public struct Campaign: Hashable, Sendable, Codable {
  /// A state of the sources.
  public struct State: Hashable, Sendable, Codable {
    /// The commit with the content; for uncommitted changes a commit without a branch.
    public let commit: String
    /// The name for people, such as a short commit or `try 3`.
    public let name: String

    /// Creates a state.
    public init(commit: String, name: String) {
      self.commit = commit
      self.name = name
    }
  }

  /// A measured change of the metric, candidate against base, in the metric's scale.
  public struct Gain: Hashable, Sendable, Codable {
    /// The estimate: -0.03 for 3 % less.
    public let change: Double
    /// The lower limit of the 95 % interval.
    public let low: Double
    /// The upper limit of the 95 % interval.
    public let high: Double
    /// The comparison with the launches.
    public let comparison: String

    /// Creates a gain.
    public init(change: Double, low: Double, high: Double, comparison: String) {
      self.change = change
      self.low = low
      self.high = high
      self.comparison = comparison
    }
  }

  /// One tried change.
  public struct Try: Hashable, Sendable, Codable {
    /// The user's reason for the change; nil without one.
    public let because: String?
    /// The time of the decision.
    public let decided: Timestamp
    /// The error level that the try spent; nil if nothing was measured.
    public let level: Double?
    /// The reason to drop the change, as a clause; nil if it is kept.
    public let objection: String?
    /// The measured change; nil if there are too few pairs.
    public let measured: Gain?
    /// The change without the excess due to its selection; nil unless it is kept.
    public let claimed: Double?
    /// The change since the campaign's start, measured again; nil unless the change is kept.
    public var total: Gain?

    /// Creates a try.
    public init(
      because: String?, decided: Timestamp, level: Double?, objection: String?, measured: Gain?,
      claimed: Double? = nil, total: Gain? = nil
    ) {
      self.because = because
      self.decided = decided
      self.level = level
      self.objection = objection
      self.measured = measured
      self.claimed = claimed
      self.total = total
    }

    /// Whether the change is kept.
    public var isKept: Bool { objection == nil }
  }

  /// The number in the store; 0 for a campaign that is not stored.
  public var number = 0
  /// The start of the campaign.
  public let started: Timestamp
  /// The scenario.
  public let scenario: String
  /// The variant; nil for the default variant.
  public let variant: String?
  /// The metric that changes must improve.
  public let metric: String
  /// The smallest gain worth keeping.
  public let margin: Scenario.Margin
  /// The state before the first kept change.
  public let start: State
  /// The state that the next change is measured against: the last kept one.
  public var anchor: State
  /// The tries in order.
  public var tries: [Try] = []

  /// Creates a campaign without tries.
  public init(
    started: Timestamp, scenario: String, variant: String?, metric: String,
    margin: Scenario.Margin, start: State
  ) {
    self.started = started
    self.scenario = scenario
    self.variant = variant
    self.metric = metric
    self.margin = margin
    self.start = start
    anchor = start
  }

  /// Whether each try was kept, in order.
  public var outcomes: [Bool] { tries.map(\.isKept) }
}
