internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStatistics

/// The verb `perfkit verify REPORT.html`.
struct VerifyVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compute the verdict of a report again from the launches that it contains.",
    usage: "perfkit verify [<options>] <file>",
    discussion: """
      Exits with 1 if the verdict or a metric in the report differs from the computed one, or if the page \
      was edited. The functions are not computed again: a report contains the metrics of the launches, but \
      not their profiles. Only reports of comparisons of pairs contain their launches.

      Example:
        perfkit verify Reports/scroll-1000-naive-to-optimised.html
      """)

  @Argument(help: ArgumentHelp("The HTML report.", valueName: "file"))
  var file: String

  @OptionGroup(title: "Output")
  var reply: ReplyOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  private struct EvidenceSchema: Decodable {
    let schema: String
  }

  func perform(_ context: Context) throws -> ExitStatus {
    // A file that was cut off may end within a character.
    let report = String(decoding: try context.read(file), as: UTF8.self)
    let isEdited = try isEdited(report)
    let evidence = try evidence(in: report)
    var differences: [String]
    do {
      let again = try evidence.judgedAgain()
      differences =
        evidence.differences(to: again)
        + ComparisonDocument(again).contradictions(in: report)
    } catch {
      throw Failure("cannot judge '\(file)': \(error)")
    }
    if isEdited, differences.isEmpty {
      differences = ["a part other than the verdict and the metrics was edited"]
    }
    let launches = evidence.pairs.reduce(0) { $0 + $1.base.count + $1.candidate.count }
    let text =
      differences.isEmpty
      ? ReplyOptions.lines(
        of: [
          "Verified: comparison \(evidence.comparison) is \(evidence.verdict). Its \(launches) launches "
            + "in \(evidence.pairs.count) pairs give the same result for all "
            + "\(evidence.findings.count) metrics."
        ], context)
      : "'\(file)' does not match its launches:\n" + differences.map { "  \($0)\n" }.joined()
    reply.write(
      text,
      json: .object([
        "schema": "perfkit.verification/1", "file": .string(file),
        "comparison": .string(evidence.comparison),
        "verdict": .string(evidence.verdict.rawValue),
        "launches": .int(launches), "pairs": .int(evidence.pairs.count),
        "metrics": .int(evidence.findings.count),
        "differences": .array(differences.map(JSONValue.string)),
      ]), context)
    return differences.isEmpty ? .done : .gateFailed
  }

  /// Returns whether a page differs from its checksum; pages of older versions have none.
  private func isEdited(_ report: String) throws -> Bool {
    do {
      try ReportFile.check(report)
      return false
    } catch ReportFile.Failure.edited {
      return true
    } catch ReportFile.Failure.old, ReportFile.Failure.foreign {
      return false
    } catch {
      throw Failure("cannot verify '\(file)': it \(error)")
    }
  }

  private func evidence(in text: String) throws -> PairedEvidence {
    let opening = "<script type=\"application/json\" id=\"\(ComparisonDocument.evidenceID)\">"
    guard let start = text.range(of: opening),
      let end = text.range(of: "</script>", range: start.upperBound..<text.endIndex)
    else {
      throw Failure(
        "'\(file)' contains no launches of pairs, so that there is nothing to verify. Name the report "
          + "of a comparison that 'perfkit diff' made.")
    }
    let data = Data(text[start.upperBound..<end.lowerBound].utf8)
    let decoder = JSONDecoder()
    let known = PairedEvidence.form
    if let form = try? decoder.decode(EvidenceSchema.self, from: data).schema, form != known {
      throw Failure(
        "'\(file)' contains launches as \(form), and this perfkit reads \(known). "
          + "Verify it with the perfkit that wrote it, or write the report again with "
          + "'perfkit report'.")
    }
    do {
      return try decoder.decode(PairedEvidence.self, from: data)
    } catch {
      throw Failure("the launches in '\(file)' cannot be read: the file is damaged.")
    }
  }
}
