internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport

/// The verb `perfkit report REF...`.
struct ReportVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write an offline report of a run, or of two runs compared.",
    usage: "perfkit report [<options>] [<references> ...]",
    discussion: """
      One REF reports a run. Two REFs, or the id of a comparison of pairs, report a comparison; the \
      first REF is the base. With --format png, which needs gnuplot, each chart is a picture.

      Example:
        perfkit report latest
        perfkit report scroll-1000:naive scroll-1000:optimised --report /tmp
        perfkit report latest --format markdown
        perfkit report latest --sources
      """)

  @Argument(help: "One run, or a base and a candidate, as in `perfkit show --help`.")
  var references: [String] = ["latest"]

  @Option(help: ArgumentHelp("Write into this folder.", valueName: "dir"))
  var report = "Reports"

  @Option(help: "Write this format.")
  var format = ReportPlace.Format.html

  @Flag(help: "Include the source lines of the functions with the most CPU time, in HTML.")
  var sources = false

  @OptionGroup(title: "Comparing")
  var comparing: ComparisonOptions

  @OptionGroup
  var names: NameOptions

  @OptionGroup
  var folding: FoldingOptions

  @OptionGroup(title: "Slowest spans")
  var spans: SlowSpanOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    guard references.count <= 2 else {
      throw ValidationError(
        "a report needs one or two runs, not \(references.count): \(Wording.list(references)). Pass the "
          + "folder of the report as --report.")
    }
    try comparing.validate(comparesRuns: references.count == 2)
    if sources, references.count == 2 || format != .html {
      throw ValidationError(
        "--sources needs one run and --format html. `perfkit annotate` prints the lines of a function."
      )
    }
    if references.count == 2, spans.option.slowest != nil {
      throw ValidationError("--slowest compares the spans of one run: name one run.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    context.console.write(try write(context).map { $0 + "\n" }.joined())
    return .done
  }

  private func write(_ context: Context) throws -> [String] {
    if references.count == 1,
      let paired = try PairedComparison(
        named: references[0], inStoreAt: global.storePath(context))
    {
      guard spans.option.slowest == nil, !sources else {
        throw Failure(
          "\(sources ? "--sources" : "--slowest") needs a run, and '\(references[0])' is a comparison. "
            + "Name one of its runs.", status: .usage)
      }
      var document = paired.document()
      if folding.areGiven || names.areFull {
        document = document.mappingProfiles { folding.apply(to: names.apply(to: $0)) }
      }
      document.expectations = comparing.expectations(
        try global.readOnlyStore(context), context
      ).results(of: paired)
      return try ReportPlace.write(document, as: format, to: report, context: context)
    }
    let store = try global.readOnlyStore(context)
    var runs = try references.map {
      try folding.summary(
        of: names.apply(to: try store.run($0)), in: store, slowest: spans.choice)
    }
    let expectations = comparing.expectations(store, context)
    for index in runs.indices { try expectations.complete(&runs[index]) }
    guard runs.count == 2 else {
      let run = runs[0].run
      let document =
        sources
        ? runs[0].document.withSources { context.workspace.source($0, of: run) } : runs[0].document
      return try ReportPlace.write(document, as: format, to: report, context: context)
    }
    let comparison = try comparing.compare(runs[0].run, runs[1].run, context)
    var document = ComparisonDocument(
      comparison, base: runs[0].document, candidate: runs[1].document, noise: runs[1].noise)
    document.expectations = expectations.results(of: runs[0].run, against: runs[1].run)
    return try ReportPlace.write(document, as: format, to: report, context: context)
  }
}
