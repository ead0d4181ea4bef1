/// The choices made before the first pair; they and the pairs determine the verdict.
public struct ComparisonDesign: Hashable, Sendable, Codable {
  /// The seed of the order of launches and of randomness in the statistics.
  public var seed: UInt64
  /// The number of gating metrics in the whole invocation.
  public var gatingCount: Int
  /// The maximum number of pairs.
  public var maxPairs: Int
  /// The gating metrics and their margins.
  public var policy: Scenario.GatePolicy
  /// Whether different environments are compared anyway.
  public var allowsDifferentEnvironments: Bool
  /// The controls, which the change cannot reach; nil if there are none.
  public var controls: Scenario.Controls?
  /// The controls outside of this comparison that moved, in words; nil if there are none.
  public var movedControls: [String]?
  /// The controls outside of this comparison that were not measured as planned, or nil.
  public var unknownControls: [String]?
  /// The launches per side and pair; nil until the first launches have determined it.
  public var launchesPerPair: Int?
  /// Other conditions that stay the same for all pairs; nil if unknown.
  ///
  /// They are fingerprints of the programs and the settings of launches, by a name in words.
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
