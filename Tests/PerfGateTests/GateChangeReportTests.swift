import PerfReport
import Testing

@testable import PerfGate

/// The changes of a gate's rules in each of its outputs.
struct GateChangeReportTests {
  @Test(arguments: GateChange.Kind.allCases)
  func `each change of the rules is in text, comment, annotations, JUnit and verdict`(
    kind: GateChange.Kind
  ) {
    let result = GateChange(kind: kind, subject: "scroll", sentence: "It is so.").result
    let report = GateReport(results: [result], status: result.status, scenarios: "Scenarios")
    let isRed = [.removed, .loosened].contains(kind)
    #expect(report.status == (isRed ? .gateFailed : .done))

    let text = TextRenderer(detail: .all).render(report.document(.all))
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("\(kind.rawValue) scroll") && text.contains("It is so."), "\(text)")

    let digest = report.digest
    #expect(digest.comment.contains("**scroll**: It is so."), "\(digest.comment)")
    let level = isRed ? "error" : kind == .renamed ? "notice" : "warning"
    #expect(digest.annotations.first?.hasPrefix("::\(level) ") == true)
    #expect(digest.annotations.first?.contains("It is so.") == true)

    let junit = JUnitRenderer().render(report.cases)
    #expect(junit.contains("name=\"rule \(kind.rawValue)\""), "\(junit)")
    #expect(junit.contains("<\(isRed ? "failure" : "skipped") message=\"It is so."), "\(junit)")

    let verdict = digest.json.text()
    #expect(verdict.contains(#""kind" : "\#(kind.rawValue)""#), "\(verdict)")
    #expect(verdict.contains(#""id" : "\#(kind.rawValue):scroll""#))
    #expect(verdict.contains("It is so."))
  }
}
