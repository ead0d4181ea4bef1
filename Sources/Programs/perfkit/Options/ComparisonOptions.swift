internal import ArgumentParser
internal import PerfModel
internal import PerfScenario
internal import PerfStatistics

/// The options of verbs that compare stored runs.
struct ComparisonOptions: ParsableArguments {
  @Option(
    name: .customLong("scenarios"),
    help: ArgumentHelp(
      "The folder of the scenario files, for margins (default: Scenarios).", valueName: "dir"))
  var scenarioFolder: String?

  /// The folder of the scenario files.
  var scenarios: String { scenarioFolder ?? "Scenarios" }

  @Flag(
    name: .customLong("allow-different-environments"), help: "Compare across machines, visibly.")
  var allowDifferentEnvironments = false

  /// The name of an option that was given; what compares no two runs would pass over it.
  var given: String? {
    if scenarioFolder != nil { return "--scenarios" }
    return allowDifferentEnvironments ? "--allow-different-environments" : nil
  }

  /// Compares two runs by the margins of the candidate's scenario file as it is now.
  ///
  /// - Throws: `ScenarioError` when there is such a file and it is wrong.
  func compare(_ base: Run, _ candidate: Run, _ context: Context) throws -> Comparison {
    try RunComparer(
      policy: policy(candidate, context), allowsDifferentEnvironments: allowDifferentEnvironments
    ).compare(base, candidate)
  }

  /// The margins of the scenario's file; the defaults where it is gone.
  private func policy(_ run: Run, _ context: Context) throws -> Scenario.GatePolicy {
    do {
      return try ScenarioLibrary(folder: context.absolute(scenarios)).file(run.scenario)
        .scenario.gate
    } catch ScenarioError.unknownScenario, ScenarioError.folder {
      return Scenario.GatePolicy()
    }
  }
}
