public import PerfModel

/// Compares two runs whose launches were made together, in pairs.
///
/// What it says of the metrics is what `SequentialJudge` says of the same pairs, so a stored comparison
/// can be computed again.
public struct PairedComparer: Sendable {
  /// Which metrics gate, and from which change on.
  public var policy: Scenario.GatePolicy
  /// How many metrics gate in the whole invocation; nil for those of this comparison.
  public var gatingCount: Int?
  /// The error of all gating metrics together.
  public var alpha: Double
  /// Of what is random in the tests.
  public var seed: UInt64
  /// Whether environments that differ are compared all the same, visibly.
  public var allowsDifferentEnvironments: Bool
  /// What the change cannot reach; any that moves makes the comparison void.
  public var controls: Scenario.Controls

  /// Creates a comparer.
  public init(
    policy: Scenario.GatePolicy = Scenario.GatePolicy(), gatingCount: Int? = nil,
    alpha: Double = RunComparer.alpha, seed: UInt64, allowsDifferentEnvironments: Bool = false,
    controls: Scenario.Controls = Scenario.Controls()
  ) {
    self.policy = policy
    self.gatingCount = gatingCount
    self.alpha = alpha
    self.seed = seed
    self.allowsDifferentEnvironments = allowsDifferentEnvironments
    self.controls = controls
  }

  /// The code of the warning that says why a comparison is void although the environments are alike.
  public static let controlMoved = "comparison.control_moved"
  /// The code of the warning that a control was not measured as planned.
  public static let controlUnknown = "comparison.control_unknown"

  /// The code of the warning that a control function cannot be looked at.
  public static let controlUnseen = "comparison.control_unseen"

  /// Returns the judge of a comparison that is about to be measured.
  ///
  /// - Parameters:
  ///   - definitions: The metrics that the launches may have.
  ///   - budgets: They say what gates when the policy does not.
  ///   - launchesPerPair: As `BlockStatistic.launchesPerPair` says.
  /// - Returns: A judge that has seen no pair yet.
  /// - Throws: `nothingGates` or `outOfRange`.
  public func judge(
    _ definitions: [MetricDefinition], budgets: [Budget], launchesPerPair: Int
  ) throws(StatisticsError) -> SequentialJudge {
    try SequentialJudge(
      definitions, policy: policy,
      gating: GatingMetrics.names(policy, budgets: budgets, definitions: definitions),
      gatingCount: gatingCount, launchesPerPair: launchesPerPair, alpha: alpha, seed: seed)
  }

  /// Compares two runs pair by pair.
  ///
  /// - Parameters:
  ///   - base: What it was before.
  ///   - candidate: What it is now; its budgets say what gates when the policy does not.
  ///   - launchesPerPair: How many launches of each side make a pair: the first few of both runs are
  ///     the first one.
  ///   - functions: What is known of the functions; nil to compare the profiles of both runs.
  ///   - movedControls: Controls outside of the comparison that moved, in words; any makes it void.
  ///   - unknownControls: Those that were not measured as planned, in words; with any of them nothing is
  ///     called equivalent or improved.
  /// - Returns: The comparison; void when the environments differ in what matters, too.
  /// - Throws: `nothingInCommon` when there is no pair, or no metric in both; `nothingGates`;
  ///   `outOfRange`.
  public func compare(
    _ base: Run, _ candidate: Run, launchesPerPair: Int, functions: [FunctionComparison]? = nil,
    movedControls: [String] = [], unknownControls: [String] = []
  ) throws(StatisticsError) -> Comparison {
    let definitions = RunComparer.definitions(base, candidate)
    var judge = try judge(
      definitions, budgets: candidate.budgets, launchesPerPair: launchesPerPair)
    let pairs = LaunchPair.pairs(of: base, candidate, launches: launchesPerPair)
    for pair in pairs { judge.add(pair) }
    let all = judge.judgements
    let judgements = all.filter { $0.isGating || $0.pairs > 0 }
    guard judgements.contains(where: { $0.pairs > 0 }) else {
      throw .nothingInCommon(base: base.id, candidate: candidate.id)
    }
    let differences = base.environment.differences(to: candidate.environment)
    let isVoid = !allowsDifferentEnvironments && differences.contains(where: \.voids)
    let times = FunctionComparer.pairedTimes(base, candidate, launchesPerPair: launchesPerPair)
    let functions =
      functions
      ?? times.map { FunctionComparer().compare($0, $1, launchesPerPair: launchesPerPair) } ?? []
    let check = ControlCheck(controls, judgements: all, functions: functions)
    let (moved, unknown) = (movedControls + check.moved, unknownControls + check.unknown)
    return Comparison(
      id: "\(base.id)-\(candidate.id)", base: .init(base), candidate: .init(candidate),
      alpha: alpha, seed: seed,
      pairing: .init(
        pairs: pairs.count, launchesPerPair: launchesPerPair, isDecided: judge.isDecided),
      metrics: judgements.map(\.comparison), functions: functions,
      environmentDifferences: differences,
      warnings: Self.warnings(moved: moved, unknown: unknown)
        + warnings(base, candidate, judge, times) + check.warnings,
      verdict: judge.verdict(
        isVoid: isVoid || !moved.isEmpty, hasUnknownControl: !unknown.isEmpty))
  }

  /// Says which controls moved, and which were not measured as planned.
  private static func warnings(moved: [String], unknown: [String]) -> [RunWarning] {
    var warnings: [RunWarning] = []
    if !moved.isEmpty {
      warnings.append(
        RunWarning(
          code: controlMoved,
          message: "\(moved.joined(separator: ", ")) moved, which the change cannot reach",
          remedy: "Something else changed between the two sides. Measure again on a quiet machine; "
            + "if it moves again, look at how both sides are built."))
    }
    if !unknown.isEmpty {
      let (verb, controls) = unknown.count == 1 ? ("was", "control") : ("were", "controls")
      warnings.append(
        RunWarning(
          code: controlUnknown,
          message:
            "\(unknown.joined(separator: ", ")) \(verb) not measured as planned, and without "
            + "the \(controls) nothing is called equivalent or improved",
          remedy: "See by `perfkit show` what became of the launches and measure again, or leave "
            + "out of the controls what cannot be measured."))
    }
    return warnings
  }

  private func warnings(
    _ base: Run, _ candidate: Run, _ judge: SequentialJudge,
    _ times: (FunctionTimes, FunctionTimes)?
  ) -> [RunWarning] {
    var warnings = RunComparer.subjects(base, candidate)
    warnings += RunComparer.environments(
      base.environment, candidate.environment, areAllowed: allowsDifferentEnvironments)
    warnings += [("base", base), ("candidate", candidate)].flatMap(RunComparer.incomplete)
    if let missing = GatingMetrics.warning(missing: judge.missing) { warnings.append(missing) }
    if !judge.isDecided { warnings.append(Self.open(judge)) }
    let few = times.flatMap { old, new in
      FunctionComparer.sampleWarning(old, new, remedy: Self.moreSamples(judge))
    }
    if let few { warnings.append(few) }
    return warnings
  }

  /// How there are more samples.
  private static func moreSamples(_ judge: SequentialJudge) -> String {
    judge.pairs < LookSchedule.lastLook
      ? "Make more pairs by --min-pairs, though all is decided, or pass a higher --rate."
      : "Pass a higher --rate: \(LookSchedule.lastLook) pairs are the most."
  }

  /// Says that the measurement was stopped before everything was decided.
  private static func open(_ judge: SequentialJudge) -> RunWarning {
    let names = judge.judgements.filter { $0.isGating && $0.verdict == nil }
      .map(\.definition.name)
    let pairs = { (count: Int) in "\(count) \(count == 1 ? "pair" : "pairs")" }
    return RunWarning(
      code: "comparison.not_decided",
      message: "after \(pairs(judge.pairs)) \(names.joined(separator: ", ")) "
        + "\(names.count == 1 ? "is" : "are") not decided",
      remedy: remedy(judge))
  }

  /// What can be done: go on only while there is a look that decides.
  private static func remedy(_ judge: SequentialJudge) -> String {
    guard let needed = judge.pairsNeeded, judge.pairs < LookSchedule.lastLook else {
      return judge.pairs < LookSchedule.lastLook
        ? "Go on: how many more pairs it takes cannot be told."
        : "No more than \(LookSchedule.lastLook) pairs are made: \(LookSchedule.remedy)."
    }
    guard judge.pairs + needed <= LookSchedule.lastLook else {
      return "It would probably take about \(needed) more, and no more than "
        + "\(LookSchedule.lastLook) are made: \(LookSchedule.remedy)."
    }
    return "Go on: it would probably take about \(needed) more \(needed == 1 ? "pair" : "pairs")."
  }
}
