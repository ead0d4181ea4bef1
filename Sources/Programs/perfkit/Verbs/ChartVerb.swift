internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit chart REF --kind K -o FILE`.
struct ChartVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "chart",
    abstract: "Draw one figure of a run as PNG or SVG.",
    usage: "perfkit chart [<options>] [<references> ...] --output <file>",
    discussion: """
      PNG needs gnuplot; SVG is drawn without it if it is missing. Kinds:
      \(ChartKind.allCases.map { "  \($0.rawValue): \($0.summary)" }.joined(separator: "\n"))

      Example:
        perfkit chart latest --kind frames --output frames.png
        perfkit chart latest --against latest~1 --kind comparison -o change.svg
        perfkit chart scroll-1000:naive latest~1 latest --kind ladder -o steps.svg
        perfkit chart latest --kind history --metric cpu.total -o cpu.svg
      """)

  @Argument(help: "The run; for a ladder all runs, in the order of their changes.")
  var references = ["latest"]

  @Option(
    help: ArgumentHelp("Draw this kind of figure. Default: frames.", valueName: "kind"),
    transform: { try choice($0, of: "chart", among: ChartKind.allCases, by: \.rawValue) })
  var kind = ChartKind.frames

  @Option(help: ArgumentHelp("Compare with this run.", valueName: "ref"))
  var against: String?

  @Option(
    help: ArgumentHelp("For --kind history: draw this metric.", valueName: "name"))
  var metric: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file, which ends in .png or .svg.", valueName: "file"))
  var output: String

  @OptionGroup(title: "Comparing")
  var comparing: ComparisonOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    if ChartFormat(path: output) == nil {
      throw ValidationError("--output must end in .png or .svg, not '\(output)'.")
    }
    if kind == .comparison, against == nil {
      throw ValidationError("--kind comparison needs --against with a second run.")
    }
    if kind == .ladder, references.count < 2 || against != nil {
      throw ValidationError("--kind ladder needs two or more runs and no --against.")
    }
    if (kind == .history) != (metric != nil) {
      throw ValidationError("--kind history needs --metric, and no other kind accepts it.")
    }
    if kind == .history, against != nil {
      throw ValidationError("--kind history shows a single variant: leave out --against.")
    }
    if against == nil, comparing.scenarioFolder != nil {
      throw ValidationError("--scenarios needs --against: only a comparison has margins.")
    }
    if against == nil, kind != .history, comparing.allowDifferentEnvironments {
      throw ValidationError("--allow-different-environments needs --against or --kind history.")
    }
    if kind != .ladder, references.count > 1 {
      throw ValidationError("--kind \(kind.rawValue) needs one run, not \(references.count).")
    }
  }

  /// Returns the steps from run to run, for the metrics with budgets in the last run.
  private static func ladder(_ runs: [Run]) throws(ReportError) -> Figure {
    let metrics = runs[runs.count - 1].budgets.map(\.metric).uniqued()
    guard
      let figure = LadderFigure.figure(
        of: runs, metrics: metrics,
        title: "\(runs.map(\.scenario).uniqued().joined(separator: ", ")), step by step")
    else {
      throw .nothingToDraw(
        chart: ChartKind.ladder.rawValue,
        reason: "its steps are of metrics with budgets, and none has values in all of these runs")
    }
    return figure
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let figure = try figure(global.readOnlyStore(context), context)
    guard let format = ChartFormat(path: output) else { return .usage }
    try ChartRenderer().draw(
      figure, format: format, to: context.workspace.absolute(output))
    return .done
  }

  /// Writes the samplers' warnings to standard error, as a chart does not show them.
  private func warn(about runs: [Run], _ context: Context) {
    for run in runs { global.warn(run.profile?.audit.warnings ?? [], context) }
  }

  private func figure(_ store: RunStore, _ context: Context) throws -> Figure {
    if let metric {
      let header = try store.resolve(references[0])
      return try HistorySource(
        scenario: header.scenario, variant: header.variant, metric: metric,
        allowsDifferentEnvironments: comparing.allowDifferentEnvironments
      ).document(global, context).figure
    }
    let runs = try references.map { try store.run($0) }
    for run in runs { try run.checkLaunches(toBe: "drawn as a chart") }
    warn(about: runs, context)
    let run = RunSummary(runs[runs.count - 1])
    if kind == .ladder { return try Self.ladder(runs) }
    if let against {
      let base = RunSummary(try store.run(against))
      warn(about: [base.run], context)
      return try ComparisonDocument(
        comparing.compare(base.run, run.run, context), base: base.document,
        candidate: run.document
      ).figure(kind)
    }
    return try run.document.figure(kind)
  }
}
