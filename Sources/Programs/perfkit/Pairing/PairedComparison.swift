internal import PerfModel
internal import PerfReport
internal import PerfStatistics
internal import PerfStore

/// A comparison of pairs as the store has it, judged.
///
/// The same pairs and the same design always give the same verdict: that is how `verify` can check it.
struct PairedComparison {
  /// What is stored.
  let stored: StoredComparison
  /// The runs of a session.
  typealias Leg = (base: Run, candidate: Run)

  /// The runs of its legs, in order; at least one.
  let legs: [Leg]
  /// The pairs of all legs.
  let pairs: [LaunchPair]
  /// What follows.
  let comparison: Comparison
  /// What is known of the noise of the machine.
  let noise: NoiseStatus?
  /// What was compared: the launches of whole pairs.
  private let sides: Leg

  /// Loads and judges a comparison.
  ///
  /// - Throws: `StoreError`, `StatisticsError`, or `Failure` when not one pair was made.
  init(_ stored: StoredComparison, store: RunStore) throws {
    self.stored = stored
    legs = try stored.legs.map { leg in
      (try store.run(id: leg.base), try store.run(id: leg.candidate))
    }
    guard !legs.isEmpty, let launches = stored.design.launchesPerPair else {
      throw Failure(Self.nothing(stored, legs))
    }
    pairs = legs.flatMap { LaunchPair.pairs(of: $0.base, $0.candidate, launches: launches) }
    guard !pairs.isEmpty else { throw Failure(Self.nothing(stored, legs)) }
    let comparer = Self.comparer(stored.design)
    // What a stopped session began and did not end is no pair.
    let counts = legs.map { min($0.base.profiled.count, $0.candidate.profiled.count) }
      .map { $0 - $0 % launches }
    // Profiles of several sessions are not added up: the longest one tells of the functions.
    let longest = Self.longest(legs)
    sides = (Self.whole(legs.map(\.base), counts), Self.whole(legs.map(\.candidate), counts))
    let compared = try comparer.compare(
      sides.base, sides.candidate, launchesPerPair: launches,
      functions: legs.count == 1
        ? nil
        : FunctionComparer().compare(
          longest.base, longest.candidate, launchesPerPair: launches),
      movedControls: stored.design.movedControls ?? [],
      unknownControls: stored.design.unknownControls ?? [])
    noise = store.noise(of: legs[legs.count - 1].candidate)
    comparison = compared.with(id: stored.id)
  }

  /// Whether everything that decides is decided: more pairs change nothing.
  var isDecided: Bool { comparison.pairing?.isDecided ?? false }

  /// Whether it can go on no further.
  var isAtEnd: Bool { isDecided || pairs.count >= LookSchedule.lastLook }

  /// All launches of the candidate, of every session and of pairs that were begun, as one run without a
  /// profile where there are several sessions: what its budgets are judged by.
  var candidate: Run {
    let runs = legs.map(\.candidate)
    return Self.whole(runs, runs.map(\.profiled.count))
  }

  /// Says why there is no pair: what became of the first launch that did not complete.
  private static func nothing(_ stored: StoredComparison, _ legs: [Leg]) -> String {
    let lost = legs.flatMap { [("base", $0.base), ("candidate", $0.candidate)] }
      .flatMap { side, run in
        run.launches.filter { $0.status != .completed && $0.status != .interrupted }
          .map { (side, run.id, $0) }
      }
    guard let (side, run, launch) = lost.first else {
      return "comparison \(stored.id) has no pair: it was stopped. Repeat the command that made it."
    }
    return "comparison \(stored.id) has no pair: launch \(launch.index + 1) of the \(side) "
      + "\(launch.status) (run \(run)). See that the scenario's program runs on both sides."
  }

  /// Returns the runs of one side as one, without a profile where there are several.
  ///
  /// Each session throws its first launches away; what is left is numbered anew.
  private static func whole(_ runs: [Run], _ counts: [Int]) -> Run {
    guard runs.count > 1, let run = runs.last else { return runs[0] }
    let launches = zip(runs, counts).flatMap { $0.profiled.prefix($1) }
    var (names, codes) = (Set<String>(), Set<String>())
    let definitions = runs.flatMap(\.definitions).filter { names.insert($0.name).inserted }
    // Those of the samplers would go with the profiles.
    let told = runs.flatMap { $0.warnings + ($0.profile?.audit.warnings ?? []) }
    let warnings = told.filter { codes.insert($0.code).inserted }
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

  /// Loads and judges the comparison of an id.
  ///
  /// - Throws: `StoreError.unknownComparison` and others.
  init(id: String, _ global: GlobalOptions, _ context: Context) throws {
    let store = try RunStore(path: global.storePath(context), access: .reading)
    try self.init(store.comparison(id: id), store: store)
  }

  /// Loads and judges a comparison if the text is the beginning of one's id.
  init?(named text: String, _ global: GlobalOptions, _ context: Context) throws {
    guard text.hasPrefix("c"), !text.contains(":") else { return nil }
    do {
      try self.init(id: text, global, context)
    } catch StoreError.unknownComparison {
      return nil
    }
  }

  /// Loads and judges the latest comparison that has pairs.
  ///
  /// - Throws: `Failure` when there is none.
  static func latest(_ global: GlobalOptions, _ context: Context) throws -> PairedComparison {
    let store = try RunStore(path: global.storePath(context), access: .reading)
    guard let stored = try store.comparisons().first(where: { !$0.legs.isEmpty }) else {
      throw Failure("there are no comparisons yet. Make one by 'perfkit diff A B --scenario S'.")
    }
    return try PairedComparison(stored, store: store)
  }

  /// Returns what compares by a design.
  static func comparer(_ design: ComparisonDesign) -> PairedComparer {
    PairedComparer(
      policy: design.policy, gatingCount: design.gatingCount, seed: design.seed,
      allowsDifferentEnvironments: design.allowsDifferentEnvironments,
      controls: design.controls ?? Scenario.Controls())
  }

  /// Returns the leg with the most launches.
  private static func longest(_ legs: [Leg]) -> Leg {
    legs.max { $0.candidate.launches.count < $1.candidate.launches.count } ?? legs[0]
  }
}

extension PairedComparison {
  private var evidence: PairedEvidence {
    let definitions = RunComparer.definitions(sides.base, sides.candidate)
    return PairedEvidence(
      comparison, design: stored.design, definitions: definitions,
      gating: GatingMetrics.names(
        stored.design.policy, budgets: sides.candidate.budgets, definitions: definitions),
      environments: (sides.base.environment, sides.candidate.environment), pairs: pairs)
  }

  /// What renderers show, with the runs of the longest leg.
  func document(reportPath: String? = nil) -> ComparisonDocument {
    let longest = Self.longest(legs)
    return ComparisonDocument(
      comparison, base: RunSummary(longest.base).document,
      candidate: RunSummary(longest.candidate).document, reportPath: reportPath, noise: noise,
      evidence: evidence)
  }
}

extension ComparisonDocument {
  /// Writes comparisons one after the other; as JSON a single object, or an array of several.
  static func write(
    _ documents: [ComparisonDocument], output: OutputOptions, global: GlobalOptions,
    context: Context
  ) throws {
    guard !documents.isEmpty else { return }
    try output.write(
      Document(
        title: documents.map(\.title).joined(separator: "; "),
        blocks: documents.flatMap(\.document.blocks)),
      json: documents.count == 1 ? documents[0].json : .array(documents.map(\.json)),
      csv: { CSVRenderer().render(documents) },
      global: global, context: context)
  }
}

extension Comparison {
  /// The comparison under the id by which it is stored.
  fileprivate func with(id: String) -> Comparison {
    Comparison(
      id: id, base: base, candidate: candidate, alpha: alpha, seed: seed, pairing: pairing,
      metrics: metrics, functions: functions, environmentDifferences: environmentDifferences,
      warnings: warnings, verdict: verdict)
  }
}
