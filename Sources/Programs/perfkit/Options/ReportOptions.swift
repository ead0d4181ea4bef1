internal import ArgumentParser

/// Where the reports of a verb that measures go.
struct ReportOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The folder for reports.", valueName: "dir"))
  var report = "Reports"

  @Flag(name: .customLong("no-report"), help: "Write no report.")
  var noReport = false

  /// Writes a report, unless none is wanted.
  ///
  /// One that cannot be written is told at once; what was measured is shown all the same.
  ///
  /// - Parameters:
  ///   - context: Where a failure is told.
  ///   - write: Writes it into a folder and returns its path.
  /// - Returns: The path of what was written, and what it means for the exit status.
  func write(
    _ context: Context, _ write: (_ folder: String) throws -> String
  ) -> (path: String?, status: ExitStatus) {
    guard !noReport else { return (nil, .done) }
    do {
      return (try write(report), .done)
    } catch {
      Failure(error).say(context.console)
      return (nil, .failed)
    }
  }
}
