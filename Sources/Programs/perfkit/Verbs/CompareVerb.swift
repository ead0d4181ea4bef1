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
    usage: """
      perfkit compare [<options>] <base> [<candidate>]
      perfkit compare --across <comparison> <comparison> ...
      """,
    discussion: """
      Stored runs were measured in different sessions, which differ more than the launches of one \
      session. Only changes well beyond that difference can be detected. Measure small changes in \
      pairs, with `perfkit diff`. Two HTML reports of runs are compared by the launches that they \
      contain. --across combines comparisons of the same two revisions, one from each machine, into \
      one change, by random effects. It never pools launches of different machines.

      Example:
        perfkit compare scroll-1000:naive scroll-1000:optimised
        perfkit compare main latest --report Reports
        perfkit compare c1m7zm678xw1k2
        perfkit compare before.html after.html
        perfkit compare --across c1m7zm678xw1k2 c1m7zm9t4k0bp5 -o forest.svg
      """)

  @Argument(help: "The run before the change, or the id of a comparison of pairs.")
  var base: String

  @Argument(help: "The run after the change; none for a comparison of pairs.")
  var candidate: String?

  @Argument(help: "Further comparisons, with --across.")
  var others: [String] = []

  @Flag(help: "Combine comparisons of several machines; -o FILE.svg or .png draws a forest plot.")
  var across = false

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

  func validate() throws {
    if let other = others.first, !across {
      throw ValidationError(
        "'\(other)' is a third run. Name two runs, or combine comparisons with --across.")
    }
    guard !across else {
      guard report == nil else {
        throw ValidationError("--across writes no HTML report. Use -o forest.svg for its figure.")
      }
      return
    }
    try comparing.validate(comparesRuns: candidate != nil)
  }

  func perform(_ context: Context) throws -> ExitStatus {
    guard !across else { return try combine(context) }
    guard let candidate else {
      guard !ReportRuns.isReport(base) else {
        throw Failure(
          "'\(base)' is one report. Name the reports of two runs; 'perfkit verify \(base)' computes "
            + "the verdict of a comparison again.", status: .usage)
      }
      return try showPairs(context)
    }
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
    document.pairedComparison = try Self.paired(in: store) {
      $0.base == before.run.id && $0.candidate == after.run.id
    }
    if let pairs = document.pairedComparison {
      global.log(
        "the launches of these runs are pairs, which decide smaller changes: 'perfkit compare "
          + "\(pairs)'", context)
    }
    return try show(document, context)
  }

  /// Returns the id of the latest comparison of pairs with a session; nil if there is none.
  private static func paired(
    in store: RunStore, of isSession: (StoredComparison.Leg) -> Bool
  ) throws -> String? {
    try store.comparisons().first { $0.legs.contains(where: isSession) }?.id
  }

  private func document(
    _ before: RunSummary, _ after: RunSummary, _ context: Context
  ) throws -> ComparisonDocument {
    let comparison = try comparing.compare(before.run, after.run, context)
    return ComparisonDocument(
      comparison, base: before.document, candidate: after.document, noise: after.noise)
  }

  private func combine(_ context: Context) throws -> ExitStatus {
    let document = try AcrossMachines(
      ids: [base] + [candidate].compactMap(\.self) + others, inStoreAt: global.storePath(context)
    ).document
    if try !output.draw(document.figure, context) {
      try output.write(document.document, json: document.json, global: global, context: context)
    }
    return exitCode ? ExitStatus(document.verdict) : .done
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
      guard case .unknownComparison = error else { throw error }
      throw try needsOther(context) ?? error
    }
  }

  /// Returns the error of a run that has nothing to be compared with; nil if there is no such run.
  private func needsOther(_ context: Context) throws -> (any Error)? {
    let store = try global.readOnlyStore(context)
    let run: RunHeader
    do {
      run = try store.resolve(base)
    } catch {
      guard case .ambiguousReference = error else { return nil }
      return error
    }
    if let paired = try Self.paired(in: store, of: { [$0.base, $0.candidate].contains(run.id) }) {
      return Failure(
        "'\(base)' is a run of comparison \(paired). 'perfkit compare \(paired)' prints it; 'perfkit "
          + "compare RUN RUN' compares any two runs.", status: .usage)
    }
    let isProfile = run.variant == Run.recordVariant
    let others = try store.headers(RunFilter(scenario: run.scenario)).filter {
      $0.id != run.id && ($0.variant == Run.recordVariant) == isProfile
    }
    let other = others.first { $0.variant != run.variant }?.subject ?? others.first?.id
    let words = base == "latest" ? [other ?? "latest~1", base] : [base, other ?? "latest"]
    return Failure(
      "'\(base)' is a run, not a comparison of pairs. Name the other run, too: 'perfkit compare "
        + "\(words.joined(separator: " "))'.", status: .usage)
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
