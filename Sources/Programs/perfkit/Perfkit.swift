internal import ArgumentParser
internal import PerfModel

/// The command and its verbs.
struct Perfkit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perfkit",
    abstract: "Measures whether a change helped, by how much, how surely, and which code did it.",
    discussion: """
      Example:
        perfkit run scroll-1000
        perfkit compare scroll-1000:naive scroll-1000:optimised

      Exit status: 0 done, 1 gate failed, 2 tool or scenario failed, 3 inconclusive, 4 void, \
      64 wrong usage, 130 stopped by Ctrl-C.
      """,
    version: perfkitVersion,
    groupedSubcommands: [
      CommandGroup(
        name: "Measure",
        subcommands: [RunVerb.self, DiffVerb.self, BisectVerb.self, RecordVerb.self]),
      CommandGroup(
        name: "Judge",
        subcommands: [
          CompareVerb.self, GateVerb.self, BaselineVerb.self, DecideVerb.self, VerifyVerb.self,
        ]),
      CommandGroup(
        name: "Look",
        subcommands: [
          ListVerb.self, ShowVerb.self, HistoryVerb.self, ReportVerb.self, ChartVerb.self,
          FlamegraphVerb.self, ExportVerb.self,
        ]),
      CommandGroup(
        name: "Machine",
        subcommands: [
          DoctorVerb.self, SelftestVerb.self, StoreVerb.self, SymbolicateVerb.self,
        ]),
    ])

  /// Parses and performs a command line.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name.
  ///   - context: Where it runs and what it writes to.
  /// - Returns: The exit status; errors have been written to the console.
  static func run(_ arguments: [String], in context: Context) -> ExitStatus {
    let status = perform(arguments, in: context)
    guard let failure = context.console.failure else { return status }
    context.console.error(
      "perfkit: cannot write to standard output: \(failure). "
        + "What was to be said is incomplete; --output writes it to a file.")
    return .worst([status, .failed])
  }

  private static func perform(_ arguments: [String], in context: Context) -> ExitStatus {
    do {
      let command = try parsed(arguments, in: context)
      guard let verb = command as? any Verb else {
        var command = command
        try command.run()
        return .done
      }
      var context = context
      context.arguments = arguments
      return try verb.perform(context)
    } catch let failure as Failure {
      context.console.error("perfkit: \(failure.message)")
      return failure.status
    } catch is CancellationError {
      return .interrupted
    } catch {
      return report(error, to: context.console)
    }
  }

  /// Parses a command line; what is wrong with that of a gate stands in the gate's files as well.
  private static func parsed(
    _ arguments: [String], in context: Context
  ) throws -> any ParsableCommand {
    do {
      return try parseAsRoot(arguments)
    } catch {
      if let word = arguments.first, !word.hasPrefix("-"), !verbs.contains(word) {
        let hint = NearestName.hint(for: word, among: verbs)
        throw Failure(
          "there is no verb '\(word)'\(hint.isEmpty ? "." : hint) See 'perfkit --help'.",
          status: .usage)
      }
      if arguments.first == GateVerb.configuration.commandName,
        exitCode(for: error) == .validationFailure
      {
        GateWords.write(
          Failure(message(for: error), status: .usage), of: Array(arguments.dropFirst()), context)
      }
      throw error
    }
  }

  /// The names of all verbs, and the parser's own.
  private static var verbs: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  }

  private static func report(_ error: any Error, to console: Console) -> ExitStatus {
    let code = exitCode(for: error)
    if code == .success {
      // Help and version are asked for: they are the data.
      console.write(fullMessage(for: error) + "\n")
      return .done
    }
    if code == .validationFailure {
      console.error(fullMessage(for: error))
      return .usage
    }
    console.error("perfkit: \(error)")
    return .failed
  }
}

/// The version of the command and of the library that it stands on.
let perfkitVersion = "0.1.0"

/// A verb of the command.
protocol Verb: ParsableCommand {
  /// Does what the verb does.
  ///
  /// - Returns: What the exit status says.
  /// - Throws: `Failure` with a message for the user, or an error whose description is one.
  func perform(_ context: Context) throws -> ExitStatus
}

/// What the exit status means; see `perfkit --help`.
enum ExitStatus: Int32, Sendable {
  case done = 0
  case gateFailed = 1
  case failed = 2
  case inconclusive = 3
  case void = 4
  case usage = 64
  /// Stopped by Ctrl-C, as shells count it: 128 plus the signal.
  case interrupted = 130

  /// The one that stands for several outcomes: 1 before 2 before 4 before 3 before 0.
  static func worst(_ outcomes: some Sequence<ExitStatus>) -> ExitStatus {
    let order: [ExitStatus] = [.usage, .gateFailed, .failed, .void, .inconclusive]
    let present = Set(outcomes)
    return order.first(where: present.contains) ?? .done
  }
}

/// An error with its message for the user and its exit status.
struct Failure: Error {
  /// What failed, on which object, why, and what to do next.
  let message: String
  /// What the program exits with.
  let status: ExitStatus

  /// Creates a failure.
  init(_ message: String, status: ExitStatus = .failed) {
    self.message = message
    self.status = status
  }

  /// Creates the failure that any error is.
  init(_ error: any Error) {
    self = error as? Failure ?? Failure("\(error)")
  }

  /// Says it, for who goes on all the same.
  func say(_ console: Console) { console.error("perfkit: \(message)") }
}
