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
      Exits with 1 when anything comes out otherwise. Only reports of comparisons that were measured in
      pairs carry their launches.

      Example:
        perfkit verify Reports/scroll-1000-naive-against-optimised.html
      """)

  @Argument(help: ArgumentHelp("The report.", valueName: "file"))
  var file: String

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let evidence = try evidence(context)
    let differences: [String]
    do {
      differences = try evidence.differences()
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

  private func evidence(_ context: Context) throws -> PairedEvidence {
    let text: String
    do {
      text = try String(contentsOfFile: context.absolute(file), encoding: .utf8)
    } catch {
      throw Failure(
        "cannot read '\(file)': \(ErrorReason.clause(error.localizedDescription)).")
    }
    let opening = "<script type=\"application/json\" id=\"\(ComparisonDocument.evidenceID)\">"
    guard let start = text.range(of: opening),
      let end = text.range(of: "</script>", range: start.upperBound..<text.endIndex)
    else {
      throw Failure(
        "'\(file)' carries no launches. Only a report of a comparison that was measured in pairs "
          + "does: make one by 'perfkit diff'.")
    }
    do {
      return try JSONDecoder().decode(
        PairedEvidence.self, from: Data(text[start.upperBound..<end.lowerBound].utf8))
    } catch {
      throw Failure("the launches that '\(file)' carries cannot be read: the file is damaged.")
    }
  }
}
