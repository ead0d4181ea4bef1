internal import ArgumentParser
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit compare A B`.
struct CompareVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two stored runs, metric by metric and function by function.",
    discussion: """
      Stored runs are of different sessions, and sessions differ by more than the launches of one. So \
      only changes well beyond that are told; small ones need runs that were measured in pairs.

      Example:
        perfkit compare scroll-1000:naive scroll-1000:optimised
        perfkit compare main latest --report Reports
        perfkit compare c1m7zm678xw1
      """)

  @Argument(help: "The run before, or a comparison that was measured in pairs.")
  var base: String

  @Argument(help: "The run after; none for a comparison.")
  var candidate: String?

  @Option(help: ArgumentHelp("Write an HTML report into this folder.", valueName: "dir"))
  var report: String?

  @Flag(
    name: .customLong("exit-code"),
    help: "Exit with 1 when it regressed, 3 when inconclusive, 4 when void.")
  var exitCode = false

  @OptionGroup(title: "Comparing")
  var comparing: ComparisonOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    if candidate == nil, let option = comparing.given {
      throw ValidationError(
        "\(option) goes with two runs: pairs are judged as they were when they were measured.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    guard let candidate else { return try showPairs(context) }
    let stored = try StoredRuns(global, context)
    // The pictures of a report need everything; the table only metrics and counts.
    let contents = report == nil ? StoredRuns.forComparison : .all
    let before = RunSummary(try stored.run(base, including: contents))
    let after = RunSummary(
      try stored.run(candidate, including: contents), in: stored.store)
    let comparison = try comparing.compare(before.run, after.run, context)
    var document = ComparisonDocument(
      comparison, base: before.document, candidate: after.document, noise: after.noise)
    if let report {
      let path = try ReportPlace.write(document, to: report, context: context)
      document = ComparisonDocument(
        comparison, base: before.document, candidate: after.document, reportPath: path,
        noise: after.noise)
    }
    try output.write(
      document.document, json: document.json, csv: { CSVRenderer().render(document) },
      global: global, context: context)
    return exitCode ? ExitStatus(comparison.verdict) : .done
  }

  /// Judges the pairs of a stored comparison again.
  private func showPairs(_ context: Context) throws -> ExitStatus {
    let paired = try PairedComparison(id: base, global, context)
    var document = paired.document()
    if let report {
      document = paired.document(
        reportPath: try ReportPlace.write(document, to: report, context: context))
    }
    try ComparisonDocument.write([document], output: output, global: global, context: context)
    return exitCode ? ExitStatus(paired.comparison.verdict) : .done
  }
}
