internal import ArgumentParser
internal import PerfModel
internal import PerfStore

/// The verb `perfkit run SCENARIO...`.
struct RunVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Measure scenarios now, in fresh worker processes, and store the runs.",
    discussion: """
      Each launch is kept as soon as it has ended: Ctrl-C stops cleanly and loses nothing that is \
      finished. A report is written to the folder of --report.

      Example:
        perfkit run scroll-1000
        perfkit run scroll-1000 --variant naive --iterations 3 --set books=200
      """)

  @Argument(
    help: ArgumentHelp("Names of scenarios, or paths of scenario files.", valueName: "scenario"))
  var scenarios: [String]

  @Option(
    help: ArgumentHelp(
      "A variant; may be repeated. Default: the scenario's own.", valueName: "name"))
  var variant: [String] = []

  @OptionGroup
  var report: ReportOptions

  @Flag(
    name: .customLong("exit-code"),
    help: "Exit with 1 when a budget is broken, with 3 when one is unknown.")
  var exitCode = false

  @OptionGroup(title: "Measuring")
  var measuring: MeasuringOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let measuring = Measuring(options: measuring, global: global, context: context)
    // All names are checked before the first launch: a typing error must not cost an hour.
    let subjects = try scenarios.map(measuring.subject)
    let variants = Measuring.variants(named: variant)
    for subject in subjects {
      for variant in variants { try measuring.check(subject, variant: variant) }
    }
    let store = try RunStore(path: global.storePath(context))
    var statuses: [ExitStatus] = []
    var documents: [RunSummary] = []
    measure: for subject in subjects {
      for variant in variants {
        let run: Run
        do {
          run = try measuring.measure(subject, variant: variant, into: store)
        } catch is CancellationError {
          break measure
        } catch {
          // What was measured before it is still shown.
          let failure = Failure(error)
          failure.say(context.console)
          statuses.append(failure.status)
          continue
        }
        // Stopped before its first launch: it was not kept.
        if run.launches.isEmpty { continue }
        let summary = RunSummary(run, in: store)
        let (reported, reportStatus) = withReport(summary, context)
        documents.append(reported)
        statuses += [status(summary, context), reportStatus]
        if context.cancellation.isRequested() { break measure }
      }
    }
    try RunSummary.write(documents, output: output, global: global, context: context)
    return context.cancellation.isRequested() ? .interrupted : .worst(statuses)
  }

  private func withReport(
    _ summary: RunSummary, _ context: Context
  ) -> (RunSummary, ExitStatus) {
    guard !summary.saysNothing else { return (summary, .done) }
    var summary = summary
    let written = report.write(context) { folder in
      try ReportPlace.write(summary, to: folder, context: context)
    }
    summary.reportPath = written.path
    return (summary, written.status)
  }

  private func status(_ summary: RunSummary, _ context: Context) -> ExitStatus {
    if summary.saysNothing, !context.cancellation.isRequested() {
      let reason = summary.nothing(isStopped: false)
      let remedy =
        summary.run.profiled.isEmpty
        ? "Give it more time, or fewer warm-ups by --warmup."
        : "See `perfkit show \(summary.run.id)`."
      context.console.error(
        "perfkit: \(summary.run.subject): \(reason); nothing can be said. \(remedy)")
      return .failed
    }
    return exitCode ? ExitStatus(summary.verdict) : .done
  }
}
