internal import ArgumentParser
internal import PerfGate
internal import PerfReport

/// The verb `perfkit history SCENARIO --metric M` and `perfkit history --regressions`.
struct HistoryVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show a metric over the commits, and the commits that changed it.",
    usage: "perfkit history [<options>] <scenario> --metric <name>",
    discussion: """
      The runs of a commit form one point. The points follow the order of the repository's commits, \
      or of time outside of a repository. Changes are detected from 10 commits on, by a permutation \
      test with an error rate of 6 %. Runs that differ from the latest run in environment or \
      parameters are left out, with a note. An output file that ends in .png or .svg receives a \
      chart. With --regressions, every metric that is worse than before is listed, over all \
      scenarios and variants; the scenario, --variant and --metric limit the list.

      Example:
        perfkit history scroll-1000 --metric cpu.total
        perfkit history palette-extract --metric wall --limit 50 --output wall.svg
        perfkit history --regressions
      """)

  @Argument(help: "The scenario.")
  var scenario: String?

  @Option(help: ArgumentHelp("Show this metric.", valueName: "name"))
  var metric: String?

  @Flag(help: "List every metric that is worse than before, over all scenarios.")
  var regressions = false

  @Option(
    help: ArgumentHelp("Show this variant. Default: the scenario's.", valueName: "name"))
  var variant: String?

  @Option(help: ArgumentHelp("Show at most this many of the latest commits.", valueName: "n"))
  var limit = 200

  @Option(
    name: .customLong("scenarios"),
    help: ArgumentHelp(
      "Read the default variant from the scenario files in this folder.", valueName: "dir"))
  var scenarioFolder = "Scenarios"

  @Flag(
    name: .customLong("allow-different-environments"),
    help: "Keep runs of different environments.")
  var allowDifferentEnvironments = false

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    try check(limit, "--limit", in: 1...2000)
    guard !regressions else { return }
    guard scenario != nil, metric != nil else {
      throw ValidationError(
        "the \(scenario == nil ? "scenario" : "metric") is missing. Pass a scenario and --metric, or "
          + "--regressions for all.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    guard !regressions, let scenario, let metric else {
      let document = try HistorySource.regressions(
        of: scenario, variant: variant, metric: metric, limit: limit,
        isMixed: allowDifferentEnvironments, global, context)
      try output.write(document.document, json: document.json, global: global, context: context)
      return .done
    }
    let document = try HistorySource(
      scenario: scenario, variant: variant, metric: metric, limit: limit,
      allowsDifferentEnvironments: allowDifferentEnvironments, scenarios: scenarioFolder
    ).document(global, context)
    if try output.draw(document.figure, context) { return .done }
    try output.write(
      document.document, json: document.json, csv: { CSVRenderer().render(document) },
      global: global, context: context)
    return .done
  }
}
