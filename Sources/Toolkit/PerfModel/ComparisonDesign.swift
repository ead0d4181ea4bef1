/// The choices made before the first pair; they and the pairs determine the verdict.
public struct ComparisonDesign: Hashable, Sendable, Codable {
  /// The seed of the order of launches and of randomness in the statistics.
  public var seed: UInt64
  /// The number of gating metrics in the whole invocation, without the counted ones.
  public var gatingCount: Int
  /// Whether work gates in the invocation, in this comparison or in another, and has half of the
  /// error; nil if not.
  public var sharesErrorWithWork: Bool?
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
  /// The changed lines of the sources; nil if unknown.
  public var hunks: SourceHunks?

  /// The number of links of each side that the pairs take in turn, each with its own layout; nil for a
  /// single link.
  public var layouts: Int?
  /// The counted work; nil if it is not counted.
  public var counting: Counting?

  /// The number of equal parts of the error, one for each gating metric of the pairs.
  public var errorShares: Int {
    guard sharesErrorWithWork == true else { return gatingCount }
    // A report or a store may contain any number.
    let (shares, overflow) = gatingCount.multipliedReportingOverflow(by: 2)
    return overflow ? .max : shares
  }

  /// The counted launches of a comparison, and the metrics that they decide.
  public struct Counting: Hashable, Sendable, Codable {
    /// The runs of some counted launches of both sides.
    public struct Leg: Hashable, Sendable, Codable {
      /// The id of the base's run.
      public let base: String
      /// The id of the candidate's run.
      public let candidate: String

      /// Creates a leg.
      public init(base: String, candidate: String) {
        self.base = base
        self.candidate = candidate
      }
    }

    /// The gating counted metrics and their margins.
    public var policy: Scenario.GatePolicy
    /// The number of gating counted metrics in the whole invocation.
    public var gatingCount: Int
    /// Whether only counted metrics gate.
    public var isAlone: Bool
    /// The stored runs, in order.
    public var legs: [Leg] = []
    /// The reason why the work could not be counted, in a clause; nil for none.
    public var obstacle: String?

    /// Creates the design of a count before its first launch.
    public init(policy: Scenario.GatePolicy, gatingCount: Int, isAlone: Bool) {
      self.policy = policy
      self.gatingCount = gatingCount
      self.isAlone = isAlone
    }
  }

  /// Creates a design.
  public init(
    seed: UInt64, gatingCount: Int, maxPairs: Int, policy: Scenario.GatePolicy,
    allowsDifferentEnvironments: Bool = false, controls: Scenario.Controls? = nil,
    movedControls: [String]? = nil, unknownControls: [String]? = nil, launchesPerPair: Int? = nil,
    conditions: [String: String]? = nil, hunks: SourceHunks? = nil, layouts: Int? = nil,
    counting: Counting? = nil, sharesErrorWithWork: Bool? = nil
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
    self.hunks = hunks
    self.layouts = layouts
    self.counting = counting
    self.sharesErrorWithWork = sharesErrorWithWork
  }
}
