public import PerfModel
public import PerfReport
internal import PerfStatistics
public import PerfStore

/// A stored comparison of pairs with its verdict.
///
/// The same pairs and the same design always give the same verdict, so that `verify` can check it.
public struct PairedComparison {
  /// The stored comparison.
  public let stored: StoredComparison
  /// The two runs of a session.
  public typealias Leg = (base: Run, candidate: Run)

  /// The runs of all sessions, in order; at least one.
  public let legs: [Leg]
  let pairs: [LaunchPair]
  /// The comparison with its verdict.
  public let comparison: Comparison
  private let noise: NoiseStatus?
  /// The counts of both sides; nil if the work was not counted.
  private let work: WorkEvidence?
  /// The compared launches: all launches of complete pairs.
  private let sides: Leg

  /// Loads and judges a comparison.
  ///
  /// - Throws: `StoreError`, `StatisticsError`, or `Failure` if it has no pair.
  init(_ stored: StoredComparison, store: RunStore) throws {
    self.stored = stored
    legs = try stored.legs.map { leg in
      (try store.run(id: leg.base), try store.run(id: leg.candidate))
    }
    guard !legs.isEmpty, let launches = stored.design.launchesPerPair else {
      throw Failure(Self.obstacle(stored, legs))
    }
    pairs = legs.flatMap { LaunchPair.pairs(of: $0.base, $0.candidate, launches: launches) }
    guard !pairs.isEmpty else { throw Failure(Self.obstacle(stored, legs)) }
    let comparer = Self.comparer(stored.design)
    // A pair that a stopped session did not complete does not count.
    let counts = legs.map { min($0.base.profiled.count, $0.candidate.profiled.count) }
      .map { $0 - $0 % launches }
    // Profiles of several sessions are not merged: the longest session provides the functions.
    let longest = Self.longest(legs)
    let functions = comparer.functionComparer(longest.base, longest.candidate)
    sides = (Self.merged(legs.map(\.base), counts), Self.merged(legs.map(\.candidate), counts))
    var judged = try comparer.compare(
      sides.base, sides.candidate, launchesPerPair: launches,
      functions: legs.count == 1
        ? nil
        : functions.compare(longest.base, longest.candidate, launchesPerPair: launches),
      movedControls: stored.design.movedControls ?? [],
      unknownControls: stored.design.unknownControls ?? [])
    noise = store.noise(of: legs[legs.count - 1].candidate)
    let counted = try stored.design.counting?.evidence(in: store)
    work = counted?.evidence
    judged.id = stored.id
    judged.pairing?.timePerPair = LaunchTimes.timePerPair(
      longest.candidate, launches: launches)
    judged.pairing?.maxPairs = stored.design.maxPairs
    judged.warnings += counted?.warnings ?? []
    judged.work = work?.comparison
    if legs.count > 1 {
      judged.allocations = functions.compareAllocations(
        longest.base, longest.candidate, launchesPerPair: launches)
      judged.warnings += FunctionComparer.warnings(
        aboutAllocationsOf: longest.base, longest.candidate)
    }
    comparison = judged
  }

  /// The runs of the longest session.
  var longest: Leg { Self.longest(legs) }

  /// Whether all gating metrics are decided: more pairs change nothing.
  var isDecided: Bool { comparison.pairing?.isDecided ?? false }

  /// Whether the comparison cannot be continued.
  var isAtEnd: Bool { isDecided || pairs.count >= LookSchedule.mostPairs }

  /// All launches of the candidate, incomplete pairs included, by which its budgets are judged.
  ///
  /// The run has no profile if there are several sessions.
  var candidate: Run {
    let runs = legs.map(\.candidate)
    return Self.merged(runs, runs.map(\.profiled.count))
  }

  /// Returns the reason why there is no pair: the first launch that failed, or a stop.
  private static func obstacle(_ stored: StoredComparison, _ legs: [Leg]) -> String {
    if legs.isEmpty {
      return "comparison \(stored.id) has no runs: they were removed from the store, or it was "
        + "stopped before the first one. Repeat the command that made it."
    }
    let lost = legs.flatMap { [("base", $0.base), ("candidate", $0.candidate)] }
      .flatMap { side, run in
        run.launches.filter { $0.status != .completed && $0.status != .interrupted }
          .map { (side, run, $0) }
      }
    guard let (side, run, launch) = lost.first else {
      return "comparison \(stored.id) has no pair: it was stopped. Repeat the command that made it."
    }
    return "comparison \(stored.id) has no pair: launch \(launch.index) of the \(side) "
      + "\(launch.status) (run \(run.id)). \(remedy(for: launch.status, run))"
  }

  private static func remedy(for status: Launch.Status, _ run: Run) -> String {
    switch status {
    case .crashed:
      // The first launch is a warm-up, which is not sampled.
      "Measure that side alone: `perfkit run --warmup 0 "
        + "\(run.hasScenarioFile ? run.scenario : "-- COMMAND")` shows where it crashes."
    case .timedOut:
      run.warnings.first { $0.code == RunWarning.timedOutCode }
        .map { "\(Wording.sentence($0.message)) \($0.remedy)" } ?? "Set a longer `timeout`."
    default: "Check that the scenario's program runs on both sides."
    }
  }

  /// Returns the runs of one side as one run, without a profile if there are several.
  ///
  /// Launches are numbered anew, as each session throws its first ones away.
  private static func merged(_ runs: [Run], _ counts: [Int]) -> Run {
    guard runs.count > 1, let run = runs.last else { return runs[0] }
    let launches = zip(runs, counts).flatMap { $0.profiled.prefix($1) }
    var (names, codes) = (Set<String>(), Set<String>())
    let definitions = runs.flatMap(\.definitions).filter { names.insert($0.name).inserted }
    // The samplers' warnings are kept although the profiles are dropped.
    let all = runs.flatMap { $0.warnings + ($0.profile?.audit.warnings ?? []) }
    let warnings = all.filter { codes.insert($0.code).inserted }
    return Run(
      id: run.id, scenario: run.scenario, variant: run.variant, label: run.label,
      started: run.started, seed: run.seed, parameters: run.parameters, command: run.command,
      environment: run.environment, definitions: definitions,
      launches: launches.enumerated().map { index, launch in
        Launch(
          index: index, isWarmup: false, status: launch.status, offset: launch.offset,
          metrics: launch.metrics)
      }, budgets: run.budgets, profile: nil, warnings: warnings,
      wasInterrupted: run.wasInterrupted)
  }

  /// Loads and judges the comparison with an id.
  ///
  /// - Throws: `StoreError.unknownComparison` and other `StoreError`s; `StatisticsError`; `Failure` if it
  ///   has no pair.
  public init(id: String, inStoreAt path: String) throws {
    let store = try RunStore(path: path, access: .reading)
    try self.init(store.comparison(id: id), store: store)
  }

  /// Loads and judges the comparison with an id, if there is one.
  ///
  /// - Throws: As `init(id:inStoreAt:)`, except for an unknown comparison.
  public init?(named text: String, inStoreAt path: String) throws {
    guard text.hasPrefix("c"), !text.contains(":") else { return nil }
    do {
      try self.init(id: text, inStoreAt: path)
    } catch StoreError.unknownComparison {
      return nil
    }
  }

  /// Loads and judges the latest comparison that has runs and is not being measured.
  ///
  /// - Throws: `StoreError`, `StatisticsError`, or `Failure` if there is none.
  public static func latest(inStoreAt path: String) throws -> PairedComparison {
    let store = try RunStore(path: path, access: .reading)
    let stored = try store.comparisons().first { comparison in
      guard let leg = comparison.legs.last else { return false }
      // The runs of a killed process stay in this state as well.
      return try store.header(id: leg.candidate).state != .running
    }
    guard let stored else {
      throw Failure(
        "there are no finished comparisons yet. Make one with 'perfkit diff A B --scenario S'.")
    }
    return try PairedComparison(stored, store: store)
  }

  static func comparer(_ design: ComparisonDesign) -> PairedComparer {
    PairedComparer(
      policy: design.policy, gatingCount: design.errorShares, seed: design.seed,
      allowsDifferentEnvironments: design.allowsDifferentEnvironments,
      controls: design.controls ?? Scenario.Controls(), hunks: design.hunks,
      layouts: design.layouts ?? 1)
  }

  private static func longest(_ legs: [Leg]) -> Leg {
    legs.max { $0.candidate.launches.count < $1.candidate.launches.count } ?? legs[0]
  }
}

extension PairedComparison {
  /// The counts of the candidate; nil if the work was not counted.
  var candidateCounts: WorkCounts? { work?.candidate }

  private var evidence: PairedEvidence {
    let definitions = RunComparer.definitions(sides.base, sides.candidate)
    return PairedEvidence(
      comparison, design: stored.design, definitions: definitions,
      gating: GatingMetrics.names(
        stored.design.policy, budgets: sides.candidate.budgets, definitions: definitions),
      environments: (sides.base.environment, sides.candidate.environment), pairs: pairs,
      work: work)
  }

  /// Returns the document that renderers show, with the runs of the longest session.
  public func document() -> ComparisonDocument {
    ComparisonDocument(
      comparison, base: RunSummary(longest.base).document,
      candidate: RunSummary(longest.candidate, counts: candidateCounts).document, noise: noise,
      evidence: evidence)
  }
}
