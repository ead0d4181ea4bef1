internal import ArgumentParser
internal import PerfReport

/// Where a gate writes what machines of others read.
struct GateOutputs: ParsableArguments {
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

  /// Writes what was asked for.
  ///
  /// - Throws: `Failure` when a file cannot be written.
  func write(_ report: GateReport, _ context: Context) throws {
    if let junit {
      try context.write(JUnitRenderer().render(report.cases), to: junit)
    }
    if let comment { try context.write(report.comment, to: comment) }
    if let codeQuality {
      try context.write(JSONValue.array(report.findings.map(\.codeQuality)).text(), to: codeQuality)
    }
    if github {
      for finding in report.findings { context.console.error(finding.annotation) }
    }
  }
}
