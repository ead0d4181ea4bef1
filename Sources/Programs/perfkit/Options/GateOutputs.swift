internal import ArgumentParser
internal import PerfGate
internal import PerfReport

/// The files that a gate writes for other programs.
struct GateOutputs: ParsableArguments {
  @Option(help: ArgumentHelp("Write all verdicts as JSON to this file.", valueName: "file"))
  var verdict = ".perfkit/verdict.json"

  @Option(
    help: ArgumentHelp(
      "Write JUnit XML to this file, with a test case for each budget and metric.",
      valueName: "file"))
  var junit: String?

  @Option(
    help: ArgumentHelp(
      "Write a comment on the pull request as Markdown to this file.", valueName: "file"))
  var comment: String?

  @Option(
    name: .customLong("code-quality"),
    help: ArgumentHelp("Write a code quality report for GitLab to this file.", valueName: "file"))
  var codeQuality: String?

  @Flag(name: .customLong("github"), help: "Print annotations for GitHub to standard error.")
  var github = false

  /// Writes all files of a report; a file that cannot be written does not prevent the others.
  ///
  /// - Throws: The error of the first file that cannot be written.
  func write(_ report: GateReport, _ context: Context) throws {
    if github {
      for line in report.annotations { context.console.error(line) }
    }
    let files: [(path: String?, text: () -> String)] = [
      (verdict, { report.json.text() }),
      (junit, { JUnitRenderer().render(report.cases) }),
      (comment, { report.comment }),
      (codeQuality, { JSONValue.array(report.findings.map(\.codeQuality)).text() }),
    ]
    var failure: (any Error)?
    for file in files {
      guard let path = file.path else { continue }
      do {
        try context.write(file.text(), to: path)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Writes the failure of the whole gate, so that the verdict of an earlier gate is replaced and the
  /// CI system shows the reason.
  func write(_ failure: Failure, _ context: Context) {
    do {
      try write(.failed(failure), context)
    } catch {
      // If the files could not be written, that may be the failure itself.
      let other = Failure(error)
      if other.message != failure.message { context.console.report(other) }
    }
  }

  /// Writes a failure into the files of a wrong command line, else into the default file, unless a
  /// plan is requested.
  static func write(_ failure: Failure, for arguments: [String], _ context: Context) {
    guard !arguments.contains("--dry-run"),
      let read = (try? PartialGateArguments.parse(arguments))
        ?? (try? PartialGateArguments.parse([]))
    else { return }
    read.files.write(failure, context)
  }
}

/// The files of a gate's verdicts, read from a command line that may be wrong otherwise.
private struct PartialGateArguments: ParsableArguments {
  @OptionGroup
  var files: GateOutputs

  @Argument(parsing: .allUnrecognized)
  var others: [String] = []
}
