internal import ArgumentParser
internal import PerfGate
internal import PerfReport

/// The folder of the reports that a measuring verb writes.
struct ReportOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Write the report into this folder.", valueName: "dir"))
  var report = "Reports"

  @Flag(name: .customLong("no-report"), help: "Write no report.")
  var noReport = false

  /// Writes a report unless none is wanted; returns its path and the exit status that follows.
  ///
  /// The message of a failure is written at once, so that the results are printed nevertheless.
  func write(
    _ content: some ReportContent, _ context: Context
  ) -> (path: String?, status: ExitStatus) {
    write(context) { try ReportPlace.write(content, to: report, context: context) }
  }

  /// Writes the report of a recorded program as `write(_:_:)`, and keeps the program's earlier reports.
  func write(recorded run: RunDocument, _ context: Context) -> (path: String?, status: ExitStatus) {
    write(context) { try ReportPlace.write(run, beside: report, context: context) }
  }

  private func write(
    _ context: Context, _ file: () throws -> String
  ) -> (path: String?, status: ExitStatus) {
    guard !noReport else { return (nil, .done) }
    do {
      return (try file(), .done)
    } catch {
      context.console.report(Failure(error))
      return (nil, .failed)
    }
  }
}
