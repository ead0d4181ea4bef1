internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStatistics
internal import PerfStore

/// The verb `perfkit compare A B`.
struct CompareVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two stored runs, metric by metric and function by function.",
    usage: "perfkit compare [<options>] <base> [<candidate>]",
    discussion: """
      Stored runs were measured in different sessions, which differ more than the launches of one \
      session. Only changes well beyond that difference can be detected. Measure small changes in \
      pairs, with `perfkit diff`. Two HTML reports of runs, instead of stored runs, are compared by \
      the launches that they contain.

      Example:
        perfkit compare scroll-1000:naive scroll-1000:optimised
        perfkit compare main latest --report Reports
        perfkit compare c1m7zm678xw1
        perfkit compare before.html after.html
      """)

  @Argument(help: "The run before the change, or the id of a comparison of pairs.")
  var base: String

  @Argument(help: "The run after the change; none for a comparison of pairs.")
  var candidate: String?

  @Option(help: ArgumentHelp("Write an HTML report into this folder.", valueName: "dir"))
  var report: String?

  @Flag(
    name: .customLong("exit-code"),
    help: "Exit with 1 if regressed, 3 if inconclusive, 4 if void.")
  var exitCode = false

  @OptionGroup(title: "Comparing")
  var comparing: ComparisonOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "Output")
  var length: DetailOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws { try comparing.validate(comparesRuns: candidate != nil) }

  func perform(_ context: Context) throws -> ExitStatus {
    guard let candidate else { return try showPairs(context) }
    if [base, candidate].contains(where: ReportRuns.isReport) {
      let runs = try [base, candidate].map { RunSummary(try ReportRuns.run($0, context)) }
      var document = try document(runs[0], runs[1], context)
      document.reports = [base, candidate]
      return try show(document, context)
    }
    let store = try global.readOnlyStore(context)
    // Only the figures of a report need all parts of the runs.
    let contents: RunContents = report == nil ? [.profile] : .all
    let before = RunSummary(try store.run(base, including: contents))
    let after = RunSummary(try store.run(candidate, including: contents), in: store)
    var document = try document(before, after, context)
    document.expectations = comparing.expectations(store, context)
      .results(of: before.run, against: after.run)
    return try show(document, context)
  }

  private func document(
    _ before: RunSummary, _ after: RunSummary, _ context: Context
  ) throws -> ComparisonDocument {
    let comparison = try comparing.compare(before.run, after.run, context)
    return ComparisonDocument(
      comparison, base: before.document, candidate: after.document, noise: after.noise)
  }

  private func showPairs(_ context: Context) throws -> ExitStatus {
    do {
      let paired = try PairedComparison(id: base, inStoreAt: global.storePath(context))
      var document = paired.document()
      document.expectations = comparing.expectations(
        try global.readOnlyStore(context), context
      ).results(of: paired)
      return try show(document, context)
    } catch let error as StoreError {
      guard case .unknownComparison = error,
        (try? global.readOnlyStore(context).resolve(base)) != nil
      else { throw error }
      throw Failure(
        "'\(base)' is a run, not a comparison of pairs. Name the other run, too: 'perfkit compare "
          + "\(base) latest'.", status: .usage)
    }
  }

  /// Writes the report if one is wanted, and prints the comparison.
  private func show(_ document: ComparisonDocument, _ context: Context) throws -> ExitStatus {
    var document = document
    document.reportPath = try report.map {
      try ReportPlace.write(document, to: $0, context: context)
    }
    try output.write([document], detail: length.detail(), global: global, context: context)
    return exitCode ? ExitStatus(document.comparison.combined) : .done
  }
}
