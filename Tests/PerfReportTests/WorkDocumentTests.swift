import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

/// Documents of comparisons with counted work.
struct WorkDocumentTests {
  private static let base = CountedRuns.run(
    [1_000_000, 1_000_010, 1_000_000, 1_000_000],
    functions: ["parse(_:)": [400_000, 400_010, 400_000, 400_000]], id: "a")
  private static let candidate = CountedRuns.run(
    [1_031_000, 1_031_010, 1_031_000, 1_031_000],
    functions: ["parse(_:)": [431_000, 431_010, 431_000, 431_000]], id: "b")

  private static func wall(
    _ verdict: ComparisonVerdict, low: Double? = -0.01, high: Double? = 0.06,
    name: String = "wall"
  ) -> MetricComparison {
    MetricComparison(
      definition: MetricDefinition(
        name: name, dimension: .time, direction: .lower, scale: .ratio, summary: ""),
      base: 30e6, candidate: 30.75e6, ratio: 1.025, estimate: 0.025, low: low, high: high, p: 0.08,
      n: (40, 40), margin: 0.02, isGating: true, verdict: verdict)
  }

  private static func document(
    _ time: ComparisonVerdict = .inconclusive, metrics: [MetricComparison]? = nil,
    base: Run = base, candidate: Run = candidate, isAlone: Bool = false,
    warnings: [RunWarning] = [], differences: [Environment.Difference] = []
  ) -> ComparisonDocument {
    var comparison = Comparison(
      id: "c1", base: .init(base), candidate: .init(candidate), alpha: 0.02, seed: 1,
      pairing: .init(pairs: 40, launchesPerPair: 4, isDecided: false),
      metrics: metrics ?? [wall(time)], functions: [], environmentDifferences: differences,
      warnings: warnings, verdict: time)
    comparison.work = WorkComparer(isAlone: isAlone)
      .compare(WorkCounts([base]), WorkCounts([candidate]))
    return ComparisonDocument(comparison)
  }

  @Test func `the report on a comparison with counted work matches its snapshots`() {
    let document = Self.document()
    expectSnapshot(TextRenderer().render(document.document), "counted-comparison.txt")
    expectSnapshot(MarkdownRenderer().render(document.document), "counted-comparison.md")
    expectSnapshot(document.json.text(), "counted-comparison.json")
    expectSnapshot(CSVRenderer().render([document]), "counted-comparison.csv")
  }

  @Test func `a comparison with counted work fits into a terminal of eighty columns`() {
    let lines = TextRenderer().render(Self.document().document).split(separator: "\n")
    #expect(lines.filter { $0.count > 80 } == [])
  }

  @Test func `the sentence says both answers and names the function`() {
    #expect(
      Self.document().verdictSentence
        == "Does 3.1% more work (parse(_:)), time undecided: wall -1% to +6%.")
    #expect(
      Self.document(.regressed, metrics: [Self.wall(.regressed)]).verdictSentence
        == "Does 3.1% more work (parse(_:)), time regressed: wall rose by 2.5% (30 ms to 30.75 ms)."
    )
    #expect(
      Self.document(.equivalent, metrics: [Self.wall(.equivalent)]).verdictSentence
        == "Does 3.1% more work (parse(_:)), time equivalent.")
    #expect(
      Self.document(base: Self.candidate, candidate: Self.base).verdictSentence
        .hasPrefix("Does 3% less work (parse(_:)), time undecided"))
  }

  @Test func `counted work that decides precedes times without a change in the short table`() {
    let times = ["wall", "cpu.total", "cpu.user", "cpu.system", "startup"].map { name in
      Self.wall(.equivalent, name: name)
    }
    let table = Self.document(.equivalent, metrics: times).document(.screen).tables
      .first { $0.id == "metrics" }
    let names = table?.rows.map { $0[0].text } ?? []
    #expect(names.first == "work.instructions", "\(names)")
    #expect(names.count == 5)
  }

  @Test func `unchanged work is the same within its interval, or exactly the same`() {
    let same = Self.document(candidate: Self.base)
    #expect(
      same.verdictSentence.hasPrefix("Does the same work (-0.0"), "\(same.verdictSentence)")
    let equal = CountedRuns.run([5000, 5000])
    #expect(
      Self.document(base: equal, candidate: equal).verdictSentence
        == "Does exactly the same work, time undecided: wall -1% to +6%.")
  }

  /// The means are 5,000 and 6,500 for `parse`, and 300 for `old`, which the candidate lacks.
  @Test func `misses of functions are compared if both sides simulated them`() throws {
    let base = CountedRuns.run(
      [1e6, 1e6], functions: ["parse": [400_000, 400_000], "old": [90_000, 90_000]],
      misses: [5300, 5300], functionMisses: ["parse": [5000, 5000], "old": [300, 300]])
    let candidate = CountedRuns.run(
      [1.1e6, 1.1e6], functions: ["parse": [500_000, 500_000]], misses: [6500, 6500],
      functionMisses: ["parse": [6400, 6600]])
    let document = Self.document(base: base, candidate: candidate)
    let table = try #require(document.workFunctionTable)
    #expect(table.columns.last?.key == "data misses")
    #expect(table.rows.map { $0.last?.text } == ["+1,500", "-300"])
    #expect(document.json.text(isIndented: false).contains(#""data_miss_difference":1500"#))
    let plain = CountedRuns.run([1.1e6, 1.1e6], functions: ["parse": [500_000, 500_000]])
    let other = try #require(Self.document(base: base, candidate: plain).workFunctionTable)
    #expect(other.columns.last?.key == "calls")
  }

  @Test func `a nondeterministic program is judged by time`() {
    let random = CountedRuns.run([1e6, 1.05e6])
    let document = Self.document(base: random, candidate: random)
    #expect(
      document.verdictSentence
        == "Work not judged, as equal launches differ by 4.9%, time undecided: wall -1% to +6%.")
    #expect(document.comparison.combined == .inconclusive)
  }

  @Test func `undecided work has its interval, or the names of metrics without one`() {
    let (few, other) = (CountedRuns.run([1e6, 1e6 + 4000]), CountedRuns.run([1.004e6, 1.008e6]))
    let sentence = Self.document(base: few, candidate: other).verdictSentence
    #expect(sentence.hasPrefix("Work undecided: -2.4% to +3.2%, time undecided"), "\(sentence)")
    let lost = CountedRuns.run([1e6], failed: 1)
    #expect(
      Self.document(base: lost, candidate: lost).verdictSentence
        .hasPrefix("Work undecided: work.instructions, time undecided"))
  }

  @Test func `time is not judged if only counted metrics gate`() {
    #expect(
      Self.document(isAlone: true).verdictSentence
        == "Does 3.1% more work (parse(_:)), time does not gate.")
  }

  @Test func `a void comparison says what voids it before its work`() {
    let document = Self.document(
      .void, differences: [.init(key: "cpu.model", base: "A", candidate: "B", voids: true)])
    #expect(
      document.verdictSentence
        == "Void: cpu.model differs between base and candidate. Does 3.1% more work (parse(_:)).")
  }

  @Test func `an undecided time without an interval is named`() {
    let metrics = [Self.wall(.inconclusive, low: nil), Self.wall(.inconclusive, name: "cpu.total")]
    #expect(
      Self.document(metrics: metrics).verdictSentence
        == "Does 3.1% more work (parse(_:)), time undecided: wall and cpu.total.")
  }

  @Test func `an HTML report shows the sentence and both tables`() {
    let document = Self.document()
    let html = document.html()
    #expect(html.contains("Does 3.1% more work (parse(_:)), time undecided: wall -1% to +6%."))
    #expect(html.contains("Instructions of functions per launch"))
    #expect(document.contradictions(in: html) == [])
    let other = Self.document(candidate: Self.base)
    #expect(other.contradictions(in: html).count == 2)
  }
}
