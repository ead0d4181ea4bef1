/// What was decided before the first pair of a comparison: with the pairs it gives the verdict again.
public struct ComparisonDesign: Hashable, Sendable, Codable {
  /// The seed of the order of launches, and of what is random in the statistics.
  public var seed: UInt64
  /// How many metrics gate in the whole invocation.
  public var gatingCount: Int
  /// Pairs at most.
  public var maxPairs: Int
  /// Which metrics decide, and from which change on.
  public var policy: Scenario.GatePolicy
  /// Whether environments that differ are compared all the same.
  public var allowsDifferentEnvironments: Bool
  /// What the change cannot reach; nil for nothing.
  public var controls: Scenario.Controls?
  /// What moved of it outside of the comparison, in words; nil for nothing.
  public var movedControls: [String]?
  /// What was not measured as planned of it outside of the comparison, in words; nil for nothing.
  public var unknownControls: [String]?
  /// Launches of each side that make a pair; nil until the first launches have shown it.
  public var launchesPerPair: Int?
  /// What else is the same from the first pair to the last, by its name in words.
  ///
  /// A fingerprint of each program, and how its launches are made; nil in what earlier versions kept.
  public var conditions: [String: String]?

  /// Creates a design.
  public init(
    seed: UInt64, gatingCount: Int, maxPairs: Int, policy: Scenario.GatePolicy,
    allowsDifferentEnvironments: Bool = false, controls: Scenario.Controls? = nil,
    movedControls: [String]? = nil, unknownControls: [String]? = nil, launchesPerPair: Int? = nil,
    conditions: [String: String]? = nil
  ) {
    self.seed = seed
    self.gatingCount = gatingCount
    self.maxPairs = maxPairs
    self.policy = policy
    self.allowsDifferentEnvironments = allowsDifferentEnvironments
    self.controls = controls
    self.movedControls = movedControls
    self.unknownControls = unknownControls
    self.launchesPerPair = launchesPerPair
    self.conditions = conditions
  }
}
