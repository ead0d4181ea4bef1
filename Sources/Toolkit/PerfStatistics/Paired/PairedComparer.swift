public import PerfModel

/// The comparison of two runs whose launches were interleaved in pairs.
///
/// `SequentialJudge` gives the same verdicts, so a stored comparison can be computed again.
public struct PairedComparer: Sendable {
  /// The gating metrics and their margins.
  public var policy: Scenario.GatePolicy
  /// The number of gating metrics of the whole invocation; nil to count this comparison only.
  public var gatingCount: Int?
  /// The seed of the order of launches.
  public var seed: UInt64
  /// Whether runs from different environments are compared, with a warning.
  public var allowsDifferentEnvironments: Bool
  /// The metrics and functions that the change cannot affect.
  ///
  /// The comparison is void if any of them moves.
  public var controls: Scenario.Controls
  /// The changed lines of the sources; nil if unknown.
  public var hunks: SourceHunks?
  /// The number of links of each side that the pairs take in turn; 1 for a single link.
  public var layouts: Int

  /// Creates a comparer.
  public init(
    policy: Scenario.GatePolicy = Scenario.GatePolicy(), gatingCount: Int? = nil,
    seed: UInt64, allowsDifferentEnvironments: Bool = false,
    controls: Scenario.Controls = Scenario.Controls(), hunks: SourceHunks? = nil,
    layouts: Int = 1
  ) {
    self.policy = policy
    self.gatingCount = gatingCount
    self.seed = seed
    self.allowsDifferentEnvironments = allowsDifferentEnvironments
    self.controls = controls
    self.hunks = hunks
    self.layouts = layouts
  }

  /// The code of the warning that a control moved, so the comparison is void.
  public static let controlMoved = "comparison.control_moved"
  /// The code of the warning that a control was not measured as planned.
  public static let controlUnknown = "comparison.control_unknown"
  /// The code of the warning that a control function cannot be looked at.
  public static let controlUnseen = "comparison.control_unseen"

  /// Returns the judge of a comparison that is about to be measured.
  ///
  /// The metrics are those that launches may have; the budgets gate if the policy names no metric.
  ///
  /// - Throws: `nothingGates` or `outOfRange`.
  public func judge(
    _ definitions: [MetricDefinition], budgets: [Budget], launchesPerPair: Int
  ) throws(StatisticsError) -> SequentialJudge {
    try SequentialJudge(
      definitions, policy: policy,
      gating: GatingMetrics.names(policy, budgets: budgets, definitions: definitions),
      gatingCount: gatingCount, launchesPerPair: launchesPerPair, layouts: layouts)
  }

  /// Returns the comparer of the functions of two runs.
  public func functionComparer(_ base: Run, _ candidate: Run) -> FunctionComparer {
    guard let hunks, let old = base.profile, let new = candidate.profile else {
      return FunctionComparer(layouts: layouts)
    }
    return FunctionComparer(touched: hunks.functions(in: old, new), layouts: layouts)
  }

  /// Compares two runs pair by pair.
  ///
  /// The first launches of both runs form the first pair. The comparison is void if voiding facts
  /// of the environments differ, or a control moved. `movedControls` are sentences (without a full
  /// stop) about controls outside of the comparison. With any of the `unknownControls`, which were
  /// not measured as planned, no metric is called equivalent or improved. Without `functions` the
  /// profiles of both runs are compared.
  ///
  /// - Throws: `nothingInCommon` if there is no pair or no common metric; `nothingGates`;
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
    let comparer = functionComparer(base, candidate)
    let functions =
      functions ?? times.map { comparer.compare($0, $1, launchesPerPair: launchesPerPair) } ?? []
    let check = ControlCheck(controls, judgements: all, functions: functions)
    let (moved, unknown) = (movedControls + check.moved, unknownControls + check.unknown)
    var comparison = Comparison(
      id: "\(base.id)-\(candidate.id)", base: .init(base), candidate: .init(candidate),
      alpha: RunComparer.alpha, seed: seed,
      pairing: .init(
        pairs: pairs.count, launchesPerPair: launchesPerPair, isDecided: judge.isDecided,
        layouts: layouts),
      metrics: judgements.map(\.comparison), functions: functions,
      environmentDifferences: differences,
      warnings: Self.warnings(moved: moved, unknown: unknown)
        + warnings(base, candidate, judge, times) + check.warnings,
      verdict: judge.verdict(
        isVoid: isVoid || !moved.isEmpty, hasUnknownControl: !unknown.isEmpty))
    comparison.allocations = comparer.compareAllocations(
      base, candidate, launchesPerPair: launchesPerPair)
    return comparison
  }

  private static func warnings(moved: [String], unknown: [String]) -> [RunWarning] {
    var warnings: [RunWarning] = []
    if !moved.isEmpty {
      warnings.append(
        RunWarning(
          code: controlMoved,
          message: moved.joined(separator: "; "),
          remedy: "Measure again on a quiet machine. If it moves again, check how both sides are "
            + "built."))
    }
    if !unknown.isEmpty {
      let (control, was) = unknown.count == 1 ? ("control", "was") : ("controls", "were")
      warnings.append(
        RunWarning(
          code: controlUnknown,
          message:
            "the \(control) \(unknown.joined(separator: ", ")) \(was) not measured as planned, so "
            + "nothing is called equivalent or improved",
          remedy: "`perfkit show` shows how the launches ended. Measure again, or remove controls "
            + "that cannot be measured."))
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
    warnings += GatingMetrics.warnings(missing: judge.missing)
    warnings += FunctionComparer.warnings(aboutSamplesOf: times, remedy: Self.moreSamples(judge))
    warnings += FunctionComparer.warnings(aboutAllocationsOf: base, candidate)
    return warnings
  }

  private static func moreSamples(_ judge: SequentialJudge) -> String {
    judge.pairs < LookSchedule.mostPairs
      ? "Measure more pairs with --min-pairs, or pass a higher --rate."
      : "Pass a higher --rate: a comparison has at most \(LookSchedule.mostPairs) pairs."
  }
}
