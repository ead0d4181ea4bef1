internal import ArgumentParser
internal import Foundation
internal import PerfExport
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit import profile`.
struct ImportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Store a profile that another tool recorded.",
    discussion: """
      Example:
        perfkit import profile cpu.pb.gz
      """,
    subcommands: [ProfileFile.self])

  /// The verb `perfkit import profile FILE`.
  struct ProfileFile: Verb {
    /// A format of files, or none to recognise it.
    enum Format: String, ExpressibleByArgument, CaseIterable {
      case auto
      case perfScript = "perf-script"
      case pprof
      case collapsed
      case speedscope
      case firefox
    }

    static let configuration = CommandConfiguration(
      commandName: "profile",
      abstract: "Store the profile of a file as a run without launches.",
      usage: "perfkit import profile [<options>] <file>",
      discussion: """
        The verbs show, report, flamegraph, annotate and export accept the run. Formats:
        \(ImportFormat.allCases.map { "  \($0.rawValue): \($0.summary)" }.joined(separator: "\n"))

        Example:
          perfkit import profile before.pb.gz
          perfkit import profile after.pb.gz
          perfkit flamegraph after:imported --against before:imported -o f.svg
          perf script | perfkit import profile - --name server
          perfkit import profile stacks.txt --interval 10ms
        """)

    /// The variant of imported runs, which keeps them apart from the runs of a scenario.
    private static let variant = "imported"

    @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"))
    var file: String

    @Option(
      help: ArgumentHelp(
        "Name the scenario of the run. Default: the name of the file.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Name the run, to refer to it later.", valueName: "name"))
    var label: String?

    @Option(help: "Read this format.")
    var format = Format.auto

    @Option(
      help: ArgumentHelp(
        "Let each sample stand for this much CPU time, e.g. 10ms, if the file only counts samples. "
          + "Default: compare the numbers of samples.",
        valueName: "duration"))
    var interval: DurationArgument?

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func validate() throws {
      if let name, DirectCommand.name(of: [name], or: "") != name {
        throw ValidationError(
          "--name must be at most 40 letters, digits, -, . and _, not '\(name)'.")
      }
      if let interval, interval.nanoseconds == 0 {
        throw ValidationError("--interval must be longer than zero.")
      }
    }

    func perform(_ context: Context) throws -> ExitStatus {
      // One byte more than the largest file, so that an endless one is refused.
      let content = [UInt8](try context.read(file, upTo: ImportFormat.largestFile + 1))
      let read: ProfileImport
      do {
        read = try ProfileImport(
          content, as: ImportFormat(rawValue: format.rawValue), interval: interval?.nanoseconds)
      } catch {
        throw Failure("cannot import '\(file)': \(error)")
      }
      let run = run(of: read, context)
      // The file is read first, so that no store is made for a damaged file.
      let store = try RunStore(path: global.storePath(context))
      try store.save(run)
      global.warn(read.profile.audit.warnings, context)
      let sentence = RunSummary(run).document.profileSentence ?? ""
      let text = "run \(run.id) (\(run.subject)): \(sentence)"
      let lines = TextWrapping.lines(of: text, width: context.width, keepsWords: true)
      context.console.write(lines.map { $0 + "\n" }.joined())
      return .done
    }

    private func run(of read: ProfileImport, _ context: Context) -> Run {
      let started = context.workspace.now()
      var environment = Environment(facts: ["imported.file": file])
      environment[.imported] = read.format.rawValue
      environment[.perfkitVersion] = context.workspace.version
      return Run(
        id: RunIdentifier.make(at: started), scenario: name ?? standardName, variant: Self.variant,
        label: label, started: started, seed: 0, parameters: [:],
        command: context.workspace.arguments, environment: environment, definitions: [],
        launches: [], budgets: [], profile: read.profile, warnings: [], wasInterrupted: false)
    }

    /// The name of the file without the endings of profiles.
    private var standardName: String {
      let endings = [
        ".gz", ".json", ".txt", ".pb", ".pprof", ".prof", ".perf", ".folded", ".collapsed",
        ".speedscope", ".firefox", ".profile",
      ]
      var name = (file as NSString).lastPathComponent
      while let ending = endings.first(where: name.hasSuffix) {
        name = String(name.dropLast(ending.count))
      }
      return DirectCommand.name(of: [name], or: "profile")
    }
  }
}
