internal import ArgumentParser
internal import PerfReport

/// The verb `perfkit history SCENARIO --metric M`.
struct HistoryVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show a metric over the commits, and where it changed.",
    discussion: """
      Runs of one commit count as one. In a repository they stand in the order of its commits, else in \
      that of time. Changes are told from 10 commits on, by a permutation test at 6 %; runs of another \
      environment or with other parameters than the latest are left out, and that is said. A file that \
      ends in .png or .svg gets a chart.

      Example:
        perfkit history scroll-1000 --metric cpu.total
        perfkit history palette-extract --metric wall --limit 50 --output wall.svg
      """)

  @Argument(help: "The scenario.")
  var scenario: String

  @Option(help: ArgumentHelp("What is shown.", valueName: "name"))
  var metric: String

  @Option(help: ArgumentHelp("The variant. Default: the scenario's own.", valueName: "name"))
  var variant: String?

  @Option(help: ArgumentHelp("At most so many commits, the latest ones.", valueName: "n"))
  var limit = 200

  @OptionGroup(title: "Comparing")
  var comparing: ComparisonOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    guard (1...2000).contains(limit) else {
      throw ValidationError("--limit must be from 1 to 2000, not \(limit).")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let document = try HistorySource(
      scenario: scenario, variant: variant, metric: metric, limit: limit,
      allowsDifferentEnvironments: comparing.allowDifferentEnvironments,
      scenarios: comparing.scenarios
    ).document(global, context)
    if let format = ChartFormat(path: output.output) {
      try FallbackChartRenderer().draw(
        document.figure, format: format, to: context.absolute(output.output))
      return .done
    }
    try output.write(
      document.document, json: document.json, csv: { CSVRenderer().render(document) },
      global: global, context: context)
    return .done
  }
}
