internal import ArgumentParser
internal import PerfExport
internal import PerfGate
internal import PerfModel
internal import PerfReport

/// The verb `perfkit export REF --to FORMAT -o FILE`.
struct ExportVerb: Verb {
  /// The format of an export: a profile for another tool, or the run for scripts.
  enum Format: Hashable {
    case profile(ProfileFormat)
    case json
    case csv

    static let all: [Format] =
      ProfileFormat.allCases.map(Format.profile) + [.json, .csv]

    var name: String {
      switch self {
      case .profile(let format): format.rawValue
      case .json: "json"
      case .csv: "csv"
      }
    }

    var summary: String {
      switch self {
      case .profile(let format): format.summary
      case .json: "the run as perfkit.run/1, as with show --format json"
      case .csv: "one row for each launch and metric"
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a run in the format of another tool.",
    discussion: """
      Formats:
      \(Format.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

      Example:
        perfkit export latest --to speedscope --output run.speedscope.json
        perfkit export latest --to pprof --only-missed-frames -o missed.pb.gz
        perfkit export latest --to collapsed --output - | flamegraph.pl > flames.svg
      """)

  @Argument(help: "The run, as in `perfkit show --help`.")
  var reference = "latest"

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("Write this format.", valueName: "format"),
    transform: { try choice($0, of: "format", among: Format.all, by: \.name) })
  var format: Format

  @Option(
    help: ArgumentHelp("Profiles: only the launch with this number.", valueName: "number"))
  var launch: Int?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file; - is standard output.", valueName: "file"))
  var output: String

  @OptionGroup
  var names: NameOptions

  @OptionGroup(title: "Profiles")
  var selection: FilterOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    if case .profile = format { return }
    guard launch == nil, selection.filter == SampleFilter() else {
      throw ValidationError(
        "--to \(format.name) writes the whole run: --launch, --thread, --phase, --signpost and "
          + "--only-missed-frames need a profile format.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let store = try global.readOnlyStore(context)
    let run = names.apply(to: try store.run(reference))
    switch format {
    case .json:
      try context.write(RunSummary(run, in: store).document.json.text(), to: output)
    case .csv:
      try run.checkLaunches(toBe: "exported as csv")
      let document = RunSummary(run).document
      global.warn(document.warnings, context)
      try context.write(CSVRenderer().render([document]), to: output)
    case .profile(let format):
      try run.checkSampling()
      var filter = try selection.filter(of: run)
      try checkLaunch(of: run)
      filter.launch = launch
      let file = try ProfileExport(run, as: format, selection: filter)
      global.warn(run.profile?.audit.warnings ?? [], context)
      try context.write(file.bytes, to: output)
    }
    return .done
  }

  private func checkLaunch(of run: Run) throws {
    guard let launch else { return }
    try run.checkLaunches(toBe: "exported by --launch")
    let launches = run.profiled.map(\.index)
    if !launches.contains(launch) {
      throw Failure(
        "run \(run.id) has no profiled launch \(launch). The numbers of its profiled launches: "
          + launches.map(String.init).joined(separator: ", ") + ".")
    }
  }
}
