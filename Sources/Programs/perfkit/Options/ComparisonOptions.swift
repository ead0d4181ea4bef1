internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// The options of verbs that compare stored runs.
struct ComparisonOptions: ParsableArguments {
  @Option(
    name: .customLong("scenarios"),
    help: ArgumentHelp(
      "When runs are compared, read margins and expectations from the scenario files in this folder. "
        + "Default: Scenarios.",
      valueName: "dir"))
  var scenarioFolder: String?

  @Flag(
    name: .customLong("allow-different-environments"),
    help: "Show runs together although their environments differ, and report the differences.")
  var allowDifferentEnvironments = false

  /// Refuses the options unless two runs are compared.
  func validate(comparesRuns: Bool) throws {
    let options = [
      ("--scenarios", scenarioFolder != nil),
      ("--allow-different-environments", allowDifferentEnvironments),
    ]
    if !comparesRuns, let (option, _) = options.first(where: \.1) {
      throw ValidationError(
        "\(option) needs two runs: a comparison of pairs keeps the settings of its measurement.")
    }
  }

  /// Compares two runs with the margins of the candidate's current scenario file.
  ///
  /// - Throws: `ScenarioError` for an invalid scenario file, `Failure` for an imported run or for a run and
  ///   itself.
  func compare(_ base: Run, _ candidate: Run, _ context: Context) throws -> Comparison {
    for run in [base, candidate] { try run.checkLaunches(toBe: "compared") }
    guard base.id != candidate.id else {
      throw Failure(
        "both sides are run \(base.id) of \(base.scenario):\(base.variant), and a run cannot differ "
          + "from itself. Name two runs; `perfkit list runs` shows them.", status: .usage)
    }
    return try RunComparer(
      policy: Self.policy(candidate, in: folder(context)),
      allowsDifferentEnvironments: allowDifferentEnvironments
    ).compare(base, candidate)
  }

  /// Returns the expectations of the scenario files.
  func expectations(_ store: RunStore, _ context: Context) -> StoredExpectations {
    StoredExpectations(in: folder(context), store: store)
  }

  private func folder(_ context: Context) -> String {
    context.workspace.absolute(scenarioFolder ?? "Scenarios")
  }

  /// Returns the policy of the scenario's file; without a file the default one, or that of commands if the
  /// command line of the run has the command.
  private static func policy(_ run: Run, in folder: String) throws -> Scenario.GatePolicy {
    do {
      return try ScenarioLibrary(folder: folder).file(run.scenario).scenario.gate
    } catch ScenarioError.unknownScenario, ScenarioError.folder {
      return defaultPolicy(of: run)
    }
  }

  private static func defaultPolicy(of run: Run) -> Scenario.GatePolicy {
    run.isOfDirectCommand ? Scenario.GatePolicy().ofCommand : Scenario.GatePolicy()
  }
}
