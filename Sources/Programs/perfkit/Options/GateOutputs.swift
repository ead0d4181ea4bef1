internal import ArgumentParser
internal import PerfReport
internal import PerfScenario

/// Where a gate writes what other programs read.
struct GateOutputs: ParsableArguments {
  @Option(help: ArgumentHelp("Where the verdicts are written.", valueName: "file"))
  var verdict = ".perfkit/verdict.json"

  @Option(
    help: ArgumentHelp("Write JUnit XML: a case for each budget and metric.", valueName: "file"))
  var junit: String?

  @Option(
    help: ArgumentHelp("Write Markdown for a comment on a pull request.", valueName: "file"))
  var comment: String?

  @Option(
    name: .customLong("code-quality"),
    help: ArgumentHelp("Write a code quality report as GitLab reads it.", valueName: "file"))
  var codeQuality: String?

  @Flag(name: .customLong("github"), help: "Write annotations as GitHub reads them from the log.")
  var github = false

  /// Writes the verdicts and what was asked for; what cannot be written does not keep back the others.
  ///
  /// - Throws: `Failure` for the first file that cannot be written.
  func write(_ report: GateReport, _ context: Context) throws {
    let findings = report.findings
    if github {
      for finding in findings { context.console.error(finding.annotation) }
    }
    let files: [(path: String?, text: () -> String)] = [
      (verdict, { report.json.text() }),
      (junit, { JUnitRenderer().render(report.cases) }),
      (comment, { report.comment }),
      (codeQuality, { JSONValue.array(findings.map(\.codeQuality)).text() }),
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

  /// Writes that nothing could be judged: the verdict of an earlier gate must not be taken for this
  /// one's, and a CI system shows what it finds in the files.
  func write(_ failure: Failure, _ context: Context) {
    let report = GateReport(
      results: [.failed("gate", failure, isOfScenario: false)], status: failure.status,
      scenarios: ProjectFile().scenarios)
    do {
      try write(report, context)
    } catch {
      // Where the files themselves cannot be written, that may be what failed.
      let other = Failure(error)
      if other.message != failure.message { other.say(context.console) }
    }
  }
}
