internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfReport

/// The files that a gate writes for other programs.
struct GateOutputs: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Measure one of several parts of the gate, e.g. 2/8, and write its results beside the file of "
        + "--verdict, as gate-shard-2-of-8.json.", valueName: "i/n"),
    transform: { text in
      guard let shard = GateShard(text) else {
        throw ValidationError("'\(text)' is no part of a gate. Pass two numbers, such as 2/8.")
      }
      return shard
    })
  var shard: GateShard?

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

  /// Writes all files of a gate; a file that cannot be written does not prevent the others.
  ///
  /// - Parameters:
  ///   - digest: The results.
  ///   - part: The results of the shard, for its file; nil for a gate that is joined from shards.
  ///   - context: The context with the console.
  /// - Throws: The error of the first file that cannot be written.
  func write(_ digest: GateDigest, of part: GateReport?, _ context: Context) throws {
    if github {
      for line in digest.annotations { context.console.annotate(line) }
    }
    var files: [(path: String?, text: () throws -> String)] = [
      (verdict, { digest.json.text() }),
      (junit, { JUnitRenderer().render(digest.cases) }),
      (comment, { digest.comment }),
      (codeQuality, { JSONValue.array(digest.findings.map(\.codeQuality)).text() }),
    ]
    if let shard, let part {
      let folder = (verdict as NSString).deletingLastPathComponent
      files.append(
        (
          (folder as NSString).appendingPathComponent(shard.fileName),
          { try GateShardFile(shard, part).text() }
        ))
    }
    var failure: (any Error)?
    for file in files {
      guard let path = file.path else { continue }
      do {
        try context.write(try file.text(), to: path)
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
      let report = GateReport.failed(failure)
      try write(report.shown, of: report, context)
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
