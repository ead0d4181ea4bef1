public import PerfModel
internal import PerfRunner
public import PerfScenario

/// A scenario with its program, ready to be launched.
public struct RunnableScenario {
  /// The scenario, checked against the declarations of its worker.
  public internal(set) var checked: CheckedScenario
  /// The worker's description of itself; nil for a command.
  let worker: WorkerDescription?
  /// The absolute path of the program and its arguments.
  var program: [String]
  /// The paths of the same program, linked with other layouts; empty for one program.
  var layouts: [String] = []
  /// The working directory of its launches, and what a command has in addition.
  let surroundings: LaunchSurroundings
  /// The build that contains the program; nil for a program beside the command.
  let build: RevisionBuild?

  /// The scenario.
  public var scenario: Scenario { checked.scenario }
}
