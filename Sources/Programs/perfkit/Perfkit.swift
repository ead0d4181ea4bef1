internal import ArgumentParser
internal import PerfGate
internal import PerfHub
internal import PerfModel

/// The version of the command and of its libraries.
let perfkitVersion = "0.1.0"

/// The command with its verbs.
struct Perfkit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perfkit",
    abstract: "Measure whether a change improved a program, and which code caused it.",
    discussion: """
      Example:
        perfkit run scroll-1000
        perfkit compare scroll-1000:naive scroll-1000:optimised

      Environment:
        PERFKIT_STORE            the run store. Default: .perfkit/perfkit.sqlite
        PERFKIT                  the command that tests with budgets start, or off to
                                 judge none. Default: beside the tests, or in PATH
        PERFKIT_HUB              the hub that receives finished runs. Default:
                                 perfkit.yml's, or none
        PGPASSWORD, PGPASSFILE, PGSERVICE, PGSSLMODE and others of libpq
                                 the connection to the hub
        NO_COLOR                 print without colours, unless it is empty
        TERM                     print without colours if it is dumb
        COLUMNS                  the width of texts. Default: the terminal's, or 80
        TMPDIR                   the folder of large samples. Default: /var/tmp
        PATH                     finds commands, git, the compiler and its tools
        CC, CXX, CFLAGS, CXXFLAGS, CPPFLAGS, FFLAGS, LDFLAGS, GOFLAGS, CGO_CFLAGS,
        CGO_CXXFLAGS, CGO_LDFLAGS, RUSTFLAGS, CARGO_ENCODED_RUSTFLAGS, SWIFTFLAGS,
        SWIFT_EXEC, TOOLCHAINS
                                 flags of builds, stored with each run: runs with
                                 other flags are not compared
        PERFKIT_LLVM_SYMBOLIZER  the program that names addresses; empty for none.
                                 Default: llvm-symbolizer beside swift, or in PATH
        PERFKIT_AGENT, PERFKIT_COUNTS_AGENT, PERFKIT_HEAP_AGENT, PERFKIT_TASKS_AGENT
                                 the agent's libraries. Default: beside perfkit
        DEBUGINFOD_URLS          the servers of `record --debuginfod`. Default: none
        DEBUGINFOD_CACHE_PATH    the folder of fetched debug files. Default:
                                 debuginfod_client in XDG_CACHE_HOME
        XDG_CACHE_HOME           the folder of caches. Default: .cache in HOME

      Exit status: 0 done, 1 gate failed, 2 tool or scenario failed, 3 inconclusive, 4 void, \
      64 wrong usage, 130 stopped by Ctrl-C.
      """,
    version: perfkitVersion,
    groupedSubcommands: [
      CommandGroup(name: "Start", subcommands: [InitVerb.self]),
      CommandGroup(
        name: "Measure",
        subcommands: [
          RunVerb.self, DiffVerb.self, TryVerb.self, BisectVerb.self, RecordVerb.self,
          ImportVerb.self,
        ]),
      CommandGroup(
        name: "Judge",
        subcommands: [
          CompareVerb.self, GateVerb.self, BaselineVerb.self, DecideVerb.self, VerifyVerb.self,
        ]),
      CommandGroup(
        name: "Show",
        subcommands: [
          ListVerb.self, ShowVerb.self, HistoryVerb.self, ReportVerb.self, ChartVerb.self,
          FlamegraphVerb.self, AnnotateVerb.self, ExportVerb.self,
        ]),
      CommandGroup(
        name: "Machine",
        subcommands: [
          DoctorVerb.self, SelftestVerb.self, StoreVerb.self, SymbolicateVerb.self,
        ]),
      CommandGroup(name: "Several machines", subcommands: [HubVerb.self, RunnerVerb.self]),
      CommandGroup(name: "For scripts and agents", subcommands: [GuideVerb.self, MCPVerb.self]),
    ])

  /// Parses and performs a command line.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the program's name.
  ///   - context: The console and the surroundings.
  /// - Returns: The exit status; errors have been written to the console.
  static func run(_ arguments: [String], in context: Context) -> ExitStatus {
    let status = perform(arguments, in: context)
    guard let failure = context.console.failure else { return status }
    context.console.error(
      "perfkit: cannot write to standard output: \(failure). The output is incomplete. "
        + "Write it to a file with --output.")
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
      // Runs keep their command line.
      context.workspace.arguments = HubAddress.withoutPasswords(arguments)
      context.console.redact(by: verb.secrets)
      return try verb.perform(context)
    } catch let failure as Failure {
      context.console.report(failure)
      return failure.status
    } catch is CancellationError {
      return .interrupted
    } catch {
      return report(error, in: context)
    }
  }

  /// Parses a command line; for a wrong gate the files of verdicts are written too.
  private static func parsed(
    _ arguments: [String], in context: Context
  ) throws -> any ParsableCommand {
    // The parser would print the general help for an unknown verb.
    if arguments.first == "help" { try checkVerb(arguments.dropFirst().first) }
    do {
      return try parseAsRoot(arguments)
    } catch {
      try checkVerb(arguments.first)
      if arguments.first == GateVerb.configuration.commandName,
        exitCode(for: error) == .validationFailure
      {
        let text = DurationArgument.hinted(message(for: error))
        GateOutputs.write(
          Failure(text, status: .usage), for: Array(arguments.dropFirst()), context)
      }
      throw error
    }
  }

  /// Refuses a word that is neither a verb nor an option.
  private static func checkVerb(_ word: String?) throws {
    guard let word, !word.hasPrefix("-"), !verbs.contains(word) else { return }
    throw Failure(
      "there is no verb '\(word)'\(NearestName.ending(for: word, among: verbs)) "
        + "See 'perfkit --help'.", status: .usage)
  }

  /// The names of all verbs, `help` of the argument parser included.
  private static var verbs: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  }

  private static func report(_ error: any Error, in context: Context) -> ExitStatus {
    let (console, code) = (context.console, exitCode(for: error))
    let message = DurationArgument.hinted(fullMessage(for: error, columns: context.width))
    if code == .success {
      // The user asked for help or the version: they go to standard output.
      console.write(message + "\n")
      return .done
    }
    if code == .validationFailure {
      console.error(message)
      return .usage
    }
    console.error("perfkit: \(error)")
    return .failed
  }
}
