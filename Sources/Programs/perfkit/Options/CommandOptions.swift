internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfScenario

/// The options of commands that are measured without a scenario file.
struct CommandOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Run this before each launch of the command, without a shell, e.g. \"rm -rf out\".",
      valueName: "text"))
  var prepare: String?

  @Option(
    help: ArgumentHelp("Run this after each launch of the command.", valueName: "text"))
  var cleanup: String?

  @Option(
    name: .customLong("accept-exit"),
    help: ArgumentHelp(
      "Accept this exit status of the command as well as 0; repeatable.", valueName: "n"))
  var acceptExit: [Int] = []

  @Option(
    help: ArgumentHelp(
      "Kill a launch of the command after this time, e.g. 5min. Default: 60s.",
      valueName: "duration"))
  var timeout: DurationArgument?

  /// Returns the scenarios of two commands that are compared, or of one command.
  ///
  /// - Throws: `Failure` for wrong usage.
  func scenarios(of commands: [[String]], _ measuring: Measuring) throws -> [ScenarioFile] {
    guard acceptExit.allSatisfy((0...255).contains) else {
      throw Failure("--accept-exit must be from 0 to 255.", status: .usage)
    }
    guard timeout?.nanoseconds != 0 else {
      throw Failure("--timeout must be above 0.", status: .usage)
    }
    for words in commands {
      guard let option = words.dropFirst().first(where: Self.ownOptions.contains) else { continue }
      measuring.observe(
        .note(
          "note: \(option) is an argument of '\(words[0])' here. Options of perfkit come before the "
            + "first --."))
    }
    let settings = Scenario.CommandSettings(
      prepare: try prepare.map { try Self.words($0, of: "--prepare") } ?? [],
      cleanup: try cleanup.map { try Self.words($0, of: "--cleanup") } ?? [],
      acceptedExits: Set([0] + acceptExit.map(Int32.init)))
    return DirectCommand.scenarios(
      of: commands, settings, timeout: timeout?.nanoseconds ?? Scenario.usualTimeout,
      besides: measuring.scenarioNames, redaction: measuring.settings.redaction)
  }

  /// Options of `run` and `diff` that hardly any other program has.
  private static let ownOptions: Set = [
    "--accept-exit", "--exit-code", "--iterations", "--max-pairs", "--max-time", "--min-pairs",
    "--no-profile", "--no-report", "--warmup",
  ]

  /// Refuses the options if no command is given.
  func refuseWithoutCommand() throws {
    let given = [
      ("--prepare", prepare != nil), ("--cleanup", cleanup != nil),
      ("--accept-exit", !acceptExit.isEmpty), ("--timeout", timeout != nil),
    ].first(where: \.1)
    guard let (option, _) = given else { return }
    throw Failure(
      "\(option) applies to a command of the command line. Pass the command after --, or write "
        + "'\(option.dropFirst(2).replacing("-", with: "_"))' into the scenario's file.",
      status: .usage)
  }

  /// Splits the value of an option into words.
  static func words(_ text: String, of option: String) throws -> [String] {
    do {
      return try CommandText.words(text)
    } catch {
      throw Failure("\(option): \(error)", status: .usage)
    }
  }
}
