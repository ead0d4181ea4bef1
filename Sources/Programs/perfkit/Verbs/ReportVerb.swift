internal import ArgumentParser
internal import PerfModel
internal import PerfReport

/// The verb `perfkit report REF...`.
struct ReportVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write an offline HTML report of a run, or of two runs compared.",
    discussion: """
      One REF gives a report of the run; two give a comparison, the first being the base; so does the
      id of a comparison that was measured in pairs.

      Example:
        perfkit report latest
        perfkit report scroll-1000:naive scroll-1000:optimised --report /tmp
      """)

  @Argument(help: "One run, or a base and a candidate.")
  var references: [String] = ["latest"]

  @Option(help: ArgumentHelp("The folder to write to.", valueName: "dir"))
  var report = "Reports"

  @OptionGroup(title: "Comparing")
  var comparing: ComparisonOptions

  @OptionGroup
  var names: NameOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    guard references.count <= 2 else {
      throw ValidationError("A report is of one run or of two; \(references.count) were named.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    if references.count == 1,
      let paired = try PairedComparison(named: references[0], global, context)
    {
      context.console.write(
        try ReportPlace.write(paired.document(), to: report, context: context) + "\n")
      return .done
    }
    let stored = try StoredRuns(global, context)
    let runs = try references.map {
      RunSummary(names.apply(to: try stored.run($0)), in: stored.store)
    }
    let path: String
    if runs.count == 2 {
      let comparison = try comparing.compare(runs[0].run, runs[1].run, context)
      let document = ComparisonDocument(
        comparison, base: runs[0].document, candidate: runs[1].document,
        noise: runs[1].noise)
      path = try ReportPlace.write(document, to: report, context: context)
    } else {
      path = try ReportPlace.write(runs[0], to: report, context: context)
    }
    context.console.write(path + "\n")
    return .done
  }
}
