internal import Foundation
public import PerfModel
internal import PerfRunner
public import PerfScenario

/// Commands of the command line, which are measured without a scenario file.
public enum DirectCommand {
  /// Returns the scenarios of commands that are compared, or of one command.
  ///
  /// The scenario is named after the program, and the variant after the words in which the commands
  /// may differ. If a scenario file has the name, `-command` is added, so that each name has the history of
  /// one program.
  ///
  /// - Parameters:
  ///   - commands: One command or two, each a program and its arguments.
  ///   - settings: The settings of all launches; the directory is the working directory.
  ///   - timeout: Nanoseconds after which a launch is killed.
  ///   - taken: The names of the project's scenario files.
  ///   - redaction: The secrets that names do not contain.
  /// - Returns: A scenario for each command.
  public static func scenarios(
    of commands: [[String]], _ settings: Scenario.CommandSettings,
    timeout: UInt64 = Scenario.usualTimeout, besides taken: [String] = [],
    redaction: Redaction = .none
  ) -> [ScenarioFile] {
    var settings = settings
    settings.directory = "."
    let shown = commands.map { redaction($0) }
    let programs = Set(shown.map { ($0[0] as NSString).lastPathComponent })
    let isOne = Set(shown.map(\.[0])).count == 1
    var subject = programs.count == 1 ? name(of: Array(programs), or: "command") : "commands"
    if taken.contains(subject) { subject += "-command" }
    var variants = shown.map { name(of: isOne ? Array($0.dropFirst()) : $0, or: "default") }
    if Set(variants).count < Set(commands).count { variants = ["base", "candidate"] }
    return zip(commands, variants).map { words, variant in
      let variant = Scenario.Variant(name: variant, parameters: [:])
      return ScenarioFile(
        of: Scenario(
          name: subject, summary: redaction(words).joined(separator: " "),
          workload: "", worker: .command(words), variants: [variant], defaultVariant: variant.name,
          timeout: timeout, gate: Scenario.GatePolicy().ofCommand, command: settings))
    }
  }

  /// Returns words as the name of a scenario or variant.
  ///
  /// - Parameters:
  ///   - words: The words.
  ///   - standard: The name if they contain no letter and no digit.
  ///   - longest: The most characters of the name.
  /// - Returns: A valid name.
  public static func name(
    of words: [String], or standard: String, longest: Int = 40
  ) -> String {
    func isPlain(_ character: Character) -> Bool {
      character.isASCII && (character.isLetter || character.isNumber)
    }
    let parts = words.flatMap { word in
      word.split { !isPlain($0) && !"._".contains($0) }.map { part in
        part.split(separator: ".").joined(separator: ".")
      }
    }
    var name = parts.joined(separator: "-").drop { !isPlain($0) }.prefix(longest)
    while let last = name.last, !isPlain(last) { name = name.dropLast() }
    return name.isEmpty ? standard : String(name)
  }
}

extension Measuring {
  /// Finds the program of a command of the command line.
  ///
  /// - Throws: `RunnerError` if there is none.
  public func runnable(command file: ScenarioFile) throws -> RunnableScenario {
    try runnable(file, finder: workspace.finder, folder: workspace.workingDirectory)
  }

  /// Returns two commands of the command line as the sides of a comparison.
  ///
  /// - Throws: `RunnerError` if there is no such program.
  public func sides(of base: ScenarioFile, against candidate: ScenarioFile) throws -> PairedSides {
    let sides = try [base, candidate].map { file in
      let runnable = try runnable(command: file)
      try check(runnable, variant: nil)
      return PairedSides.Side(runnable: runnable, variant: file.scenario.defaultVariant)
    }
    return PairedSides(base: sides[0], candidate: sides[1])
  }
}

extension BuiltRevisions {
  /// Returns the sides of a command that runs in the working directory's place of both trees.
  ///
  /// - Throws: `RunnerError` or `RevisionError` if a revision lacks the program or a file.
  public func sides(ofCommand file: ScenarioFile, measuring: Measuring) throws -> PairedSides {
    try sides(
      of: file, at: checkout.place(of: measuring.workspace.workingDirectory),
      measuring: measuring)
  }
}
