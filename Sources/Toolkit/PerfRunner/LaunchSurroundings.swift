internal import Glibc
public import PerfModel

/// The surroundings of a launch, with absolute paths.
public struct LaunchSurroundings: Sendable {
  /// The working directory; nil for the harness's.
  public var directory: String?
  /// The file of standard input; nil for no input.
  public let input: String?
  /// The program that runs before each launch, and its arguments; empty for none.
  public let prepare: [String]
  /// The program that runs after each launch, and its arguments; empty for none.
  public let cleanup: [String]

  /// Creates surroundings without input and further programs.
  public init(directory: String? = nil) {
    self.directory = directory
    (input, prepare, cleanup) = (nil, [], [])
  }

  /// Finds the files of a command's settings.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - standard: The working directory of settings without one.
  ///   - folder: The folder of the scenario file, where relative programs are looked for first.
  ///   - finder: Finds the programs.
  /// - Throws: `RunnerError.noDirectory`, `noInput`, or the error of a program that is not found.
  public init(
    _ settings: Scenario.CommandSettings, standard: String, folder: String, finder: ProgramFinder
  ) throws(RunnerError) {
    var directory = standard
    if let place = settings.directory {
      let path = place.hasPrefix("/") ? place : "\(folder)/\(place)"
      guard ProgramFinder.isFolder(path), let real = realpath(path, nil) else {
        throw .noDirectory(path: path)
      }
      defer { free(real) }
      directory = String(cString: real)
    }
    self.directory = directory
    input = settings.input.map { $0.hasPrefix("/") ? $0 : "\(directory)/\($0)" }
    if let input, access(input, R_OK) != 0 || ProgramFinder.isFolder(input) {
      let isFolder = ProgramFinder.isFolder(input)
      throw .noInput(path: input, reason: isFolder ? "it is a folder" : SystemCalls.text(of: errno))
    }
    func program(_ words: [String]) throws(RunnerError) -> [String] {
      guard !words.isEmpty else { return [] }
      let path = try finder.path(of: .command(words), directory: folder, or: directory)
      return [path] + words.dropFirst()
    }
    prepare = try program(settings.prepare)
    cleanup = try program(settings.cleanup)
  }
}

extension Launcher {
  /// Gives a launch of a command its directory, environment, input and output.
  func surround(_ launch: inout WorkerProcess.Configuration) {
    let settings = plan.scenario.command
    launch.environment.merge(settings.environment) { _, own in own }
    launch.input = plan.surroundings.input ?? launch.input
    launch.discardsOutput = !settings.keepsOutput && !plan.isAttended
  }

  /// Runs the program before or after a launch.
  ///
  /// - Returns: False if the user stopped it, and with it all that it started.
  /// - Throws: `RunnerError.hookFailed` if it fails, as the launch would not be like the others.
  func runHook(_ name: String, _ words: [String], launch index: Int) throws(RunnerError) -> Bool {
    guard let path = words.first, let directory = plan.surroundings.directory else { return true }
    var launch = ScenarioRunner.launch(plan)
    let hookGuard = LaunchGuard(ofHook: true)
    hookGuard.mark(&launch)
    let environment = launch.environment.merging(plan.scenario.command.environment) { $1 }
    let run = try CommandRun(
      path, Array(words.dropFirst()), in: directory, environment: environment, seconds: 600,
      patience: 500_000_000, isCancelled: isCancelled)
    if run.wasStopped {
      _ = hookGuard.endAll()
      return false
    }
    guard run.status != 0 else { return true }
    throw .hookFailed(
      name: name, command: words.joined(separator: " "), launch: index, side: side,
      how: run.status.map { "exited with \($0)" } ?? "was ended by a signal or after 10 min",
      output: run.errors.isEmpty ? run.output : run.errors)
  }
}
