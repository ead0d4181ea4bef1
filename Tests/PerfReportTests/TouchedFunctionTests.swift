import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

struct TouchedFunctionTests {
  private func function(_ name: String, _ difference: Double, isTouched: Bool) -> FunctionComparison
  {
    FunctionComparison(
      name: name, key: name, kind: .own, base: 5e6, candidate: 5e6 + difference,
      low: difference - 1e5, high: difference + 1e5, q: 0.01, isSignificant: true,
      isTouched: isTouched)
  }

  private func document(_ functions: [FunctionComparison]) -> ComparisonDocument {
    let side = Comparison.Side(
      run: "r1", scenario: "work", variant: "default", label: nil, commit: "abc",
      started: SampleRuns.firstStart)
    return ComparisonDocument(
      Comparison(
        id: "c1", base: side, candidate: side, alpha: 0.02, seed: 1, metrics: [],
        functions: functions, environmentDifferences: [], warnings: [], verdict: .equivalent))
  }

  @Test func `functions whose source changed are marked and come first`() throws {
    let document = document([
      function("caller", 2e6, isTouched: false), function("callee", 1e6, isTouched: true),
    ])
    let table = try #require(document.document.tables.first { $0.id == "functions" })
    let titles = table.columns.map(\.title)
    let (mark, name) = (
      try #require(titles.firstIndex(of: "source")), try #require(titles.firstIndex(of: "function"))
    )
    #expect(table.rows.map { $0[name].text } == ["callee", "caller"])
    #expect(table.rows.map { $0[mark].text } == ["changed", ""])
    #expect(table.caption.contains("Functions whose source changed have most of the 5 %."))
    #expect(document.verdictSentence.contains("callee (+1 ms per launch, near changed lines)"))
    #expect(document.verdictSentence.contains("caller (+2 ms per launch)"))
  }

  @Test func `without changed sources the table has no mark`() throws {
    let table = try #require(
      document([function("caller", 2e6, isTouched: false)]).document.tables.first)
    #expect(!table.columns.map(\.title).contains("source"))
    #expect(!table.caption.contains("source changed"))
  }
}
