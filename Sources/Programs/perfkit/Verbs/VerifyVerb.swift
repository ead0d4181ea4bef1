internal import ArgumentParser
internal import Foundation
internal import PerfModel
internal import PerfReport
internal import PerfStatistics

/// The verb `perfkit verify REPORT.html`.
struct VerifyVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compute the verdict of a report again from the launches that it carries.",
    discussion: """
      Exits with 1 when anything comes out otherwise, or the report shows another verdict or other \
      metrics than follow. Which functions moved is not computed again: a report carries what the launches \
      measured, not their profiles. Only reports of comparisons that were measured in pairs carry their launches.

      Example:
        perfkit verify Reports/scroll-1000-naive-against-optimised.html
      """)

  @Argument(help: ArgumentHelp("The report.", valueName: "file"))
  var file: String

  @OptionGroup(title: "General")
  var global: GlobalOptions

  /// The form of what a report carries.
  private struct Form: Decodable {
    let schema: String
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let report = try text(context)
    let evidence = try evidence(in: report)
    let differences: [String]
    do {
      let again = try evidence.judgedAgain()
      differences =
        try evidence.differences(to: again)
        + ComparisonDocument(again).contradictions(in: report)
    } catch {
      throw Failure("'\(file)' cannot be judged: \(error)")
    }
    guard differences.isEmpty else {
      context.console.write(
        "'\(file)' does not follow from its launches:\n"
          + differences.map { "  \($0)\n" }.joined())
      return .gateFailed
    }
    let launches = evidence.pairs.reduce(0) { $0 + $1.base.count + $1.candidate.count }
    context.console.write(
      "comparison \(evidence.comparison) is \(evidence.verdict): it follows again from its "
        + "\(launches) launches in \(evidence.pairs.count) pairs, for all "
        + "\(evidence.findings.count) metrics.\n")
    return .done
  }

  private func text(_ context: Context) throws -> String {
    do {
      return try String(contentsOfFile: context.absolute(file), encoding: .utf8)
    } catch {
      throw Failure(
        "cannot read '\(file)': \(ErrorReason.clause(error.localizedDescription)).")
    }
  }

  private func evidence(in text: String) throws -> PairedEvidence {
    let opening = "<script type=\"application/json\" id=\"\(ComparisonDocument.evidenceID)\">"
    guard let start = text.range(of: opening),
      let end = text.range(of: "</script>", range: start.upperBound..<text.endIndex)
    else {
      throw Failure(
        "'\(file)' carries no launches. Only a report of a comparison that was measured in pairs "
          + "does: make one by 'perfkit diff'.")
    }
    let data = Data(text[start.upperBound..<end.lowerBound].utf8)
    let decoder = JSONDecoder()
    let known = PairedEvidence.form
    if let form = try? decoder.decode(Form.self, from: data).schema, form != known {
      throw Failure(
        "'\(file)' carries its launches as \(form), this perfkit reads \(known). "
          + "Verify it with the perfkit that made it, or make the report anew by "
          + "'perfkit report'.")
    }
    do {
      return try decoder.decode(PairedEvidence.self, from: data)
    } catch {
      throw Failure("the launches that '\(file)' carries cannot be read: the file is damaged.")
    }
  }
}
