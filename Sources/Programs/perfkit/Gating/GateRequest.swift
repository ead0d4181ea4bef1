internal import PerfModel
internal import PerfRunner
internal import PerfScenario

/// What a gate is asked: what is compared with what, and how, before anything is built or measured.
struct GateRequest {
  /// How it is measured, with what perfkit.yml says where the command line does not.
  let measuring: Measuring
  /// How pairs are made.
  let pairing: PairingOptions
  /// What it is compared with.
  let target: GateTarget
  /// The scenarios; at least one.
  let names: [String]
  /// Their variants; none are each scenario's default.
  let variants: [String]
  /// The folder of the scenario files, from the root of the repository.
  let folder: String
  private let library: ScenarioLibrary
  /// The scenarios that are measured beside them, as the change cannot reach them.
  private let controls: Result<[String], any Error>

  /// Finds out what a command line asks.
  ///
  /// - Throws: `ScenarioError`, `RevisionError`, `StoreError`, or `Failure` for what cannot be asked.
  init(_ verb: GateVerb, in context: Context) throws {
    try verb.measuring.checkLabel()
    let checkout = try? GitCheckout(
      containing: context.workingDirectory, variables: context.variables,
      isCancelled: context.cancellation.isRequested)
    let project = try checkout.flatMap { try ProjectFile.ofTree($0.root) } ?? ProjectFile()
    var options = verb.measuring
    options.quick = options.quick || project.gate.isQuick
    options.maxTime = options.maxTime ?? project.gate.maxTime.map(DurationArgument.init)
    measuring = Measuring(options: options, global: verb.global, context: context)
    pairing = verb.pairing
    variants = verb.variant
    target = try GateTarget(
      verb.against ?? project.gate.against, isNone: verb.budgetsOnly, measuring: measuring,
      checkout: checkout)
    // Two revisions are measured by the files of the repository, whatever folder this is run in.
    if target.isRevision {
      if let obstacle = options.obstacleToPairs { throw Failure(obstacle, status: .usage) }
      folder = project.scenarios
      library = checkout.map { project.library(ofTree: $0.root) } ?? measuring.library
    } else {
      folder = options.scenarios
      library = measuring.library
    }
    names = try Self.names(verb.scenarios, project, in: library)
    controls =
      target.isRevision
      ? Self.controls(of: names, project, in: library) : .success([])
  }

  /// Those that were asked for, or that gate in this project, or all.
  private static func names(
    _ asked: [String], _ project: ProjectFile, in library: ScenarioLibrary
  ) throws -> [String] {
    let named = asked.isEmpty ? project.gate.scenarios : asked
    let names = named.isEmpty ? try library.names() : named
    guard !names.isEmpty else {
      throw Failure(
        "there is nothing to gate: no scenario in '\(library.folder)'. "
          + "Name one, or pass another --scenarios.")
    }
    return names
  }

  private static func controls(
    of names: [String], _ project: ProjectFile, in library: ScenarioLibrary
  ) -> Result<[String], any Error> {
    Result {
      try ControlScenarios(of: names, general: project.controls, in: library).additional
    }
  }

  /// What is going to be done.
  ///
  /// A scenario that cannot be read is a result of its own, so that its controls are left out.
  var plan: GatePlan {
    let controls = (try? controls.get()) ?? []
    let items =
      names.flatMap { name in
        Measuring.variants(named: variants).map { WorstCase.Item(name, $0) }
      } + controls.map { WorstCase.Item($0) }
    return GatePlan(
      target: target, names: names, controls: controls, options: measuring.options,
      pairing: pairing,
      worst: WorstCase(
        of: items, maxPairs: target.isRevision ? pairing.maxPairs : nil,
        options: measuring.options, times: PairTimes(measuring.global, measuring.context),
        file: library.file))
  }

  /// Refuses what could not be judged, as far as it shows before anything is built.
  ///
  /// - Throws: `ScenarioError`, `RevisionError` or `Failure`.
  func check() throws {
    try target.check(measuring)
    for name in names {
      let scenario = try measuring.file(name, in: library).scenario
      for variant in variants where scenario.variant(named: variant) == nil {
        throw ScenarioError.unknownVariant(
          variant, scenario: scenario.name, known: scenario.variants.map(\.name))
      }
    }
    _ = try controls.get()
  }
}
