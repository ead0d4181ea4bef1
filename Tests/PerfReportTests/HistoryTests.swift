import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

struct HistoryTests {
  private static let cpu = MetricDefinition(
    name: "cpu.total", dimension: .time, direction: .lower, scale: .ratio, summary: "CPU time.")

  private static func commit(_ index: Int) -> String {
    String(repeating: String(index, radix: 16), count: 40)
  }

  /// Returns a run of six launches around this number of milliseconds.
  private static func run(
    _ index: Int, _ milliseconds: Double, isDirty: Bool = false, second: Bool = false,
    of commit: String? = nil
  ) -> Run {
    Run(
      id: "r\(index)\(second ? "b" : "a")", scenario: "scroll", variant: "optimised", label: nil,
      started: Timestamp(milliseconds: 1_795_227_498_000 + Int64(index) * 3_600_000), seed: 1,
      parameters: [:], command: [],
      environment: Environment(
        facts: [
          "commit": commit ?? self.commit(index), "dirty": "\(isDirty)", "build.id": "b\(index)",
        ]),
      definitions: [cpu],
      launches: (0..<6).map { launch in
        Launch(
          index: launch, isWarmup: false, status: .completed, offset: 0,
          metrics: ["cpu.total": (milliseconds + Double(launch) / 10) * 1e6])
      },
      budgets: [], profile: nil, warnings: [], wasInterrupted: false)
  }

  /// Returns seven commits around 24 ms and seven around 26 ms.
  private static func document(_ indices: Range<Int> = 0..<14) throws -> HistoryDocument {
    let runs = indices.flatMap { index in
      let level = (index < 7 ? 24 : 26) + Double((index * 3) % 5) / 10
      let first = run(index, level, isDirty: index == 12)
      return index == 3 ? [first, run(index, level + 0.2, second: true)] : [first]
    }
    // Two commits between the stretches were not measured.
    let order = (0..<7).map(commit) + ["a", "b"] + (7..<14).map(commit)
    let history = try #require(MetricHistory(of: runs, metric: "cpu.total", order: order))
    return HistoryDocument(
      history, scenario: "scroll", variant: "optimised",
      summaries: Dictionary(
        uniqueKeysWithValues: (0..<10).map { (commit($0), "Change number \($0) of many to come") }),
      isInCommitOrder: true)
  }

  /// Returns thirteen commits around 24 ms, one of which takes 80 ms.
  private static func document(outlier: Int) throws -> HistoryDocument {
    let runs = (0..<13).map { run($0, $0 == outlier ? 80 : 24 + Double(($0 * 3) % 5) / 10) }
    let history = try #require(
      MetricHistory(of: runs, metric: "cpu.total", order: (0..<13).map(commit)))
    return HistoryDocument(
      history, scenario: "scroll", variant: "optimised", isInCommitOrder: true)
  }

  @Test func `the report on a history matches its snapshots`() throws {
    let document = try Self.document()
    let text = TextRenderer().render(document.document)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    expectSnapshot(text, "history.txt")
    expectSnapshot(MarkdownRenderer().render(document.document), "history.md")
    expectSnapshot(document.json.text(), "history.json")
    expectSnapshot(CSVRenderer().render(document), "history.csv")
  }

  @Test func `the metrics that are worse than before are listed with the commit`() throws {
    let worse = try Self.document()
    let list = RegressionsDocument([worse, try Self.document(0..<7), try Self.document(0..<4)])
    let json = list.json.text()
    #expect(json.contains(#""histories" : 1"#) && json.contains(#""short" : 2"#), "\(json)")
    #expect(json.contains(#""subject" : "scroll:optimised""#))
    #expect(json.contains(#""commit" : "\#(Self.commit(7))""#))
    let text = TextRenderer().render(list.document)
    #expect(text.contains("1 metric is worse than before in 1 history."), "\(text)")
    // 24 to 24.4 ms became 26 to 26.4 ms.
    #expect(text.contains("+8"), "\(text)")
    #expect(!text.contains("may be worse by chance"))
    // q is p times the number of histories, of which the others have no change.
    let others = try (0..<300).map { _ in try Self.document(outlier: 0) }
    let many = TextRenderer().render(RegressionsDocument([worse] + others).document)
    #expect(many.contains("A metric with q above 0.05 may be worse by chance"), "\(many)")
    let none = RegressionsDocument([try Self.document(0..<4)])
    #expect(TextRenderer().render(none.document).contains("Undecided: no history has 10 commits."))
  }

  @Test func `a regression that a later change took back is no longer listed`() throws {
    func history(_ levels: [Double]) throws -> MetricHistory {
      let runs = levels.enumerated().map { index, level in
        Self.run(index, level + Double((index * 3) % 5) / 10)
      }
      return try #require(
        MetricHistory(of: runs, metric: "cpu.total", order: (0..<levels.count).map(Self.commit)))
    }
    let parts = [24.0, 30, 24, 27].map { [Double](repeating: $0, count: 7) }
    #expect(try history(parts[0] + parts[1]).regression != nil)
    #expect(try history(parts[0] + parts[1] + parts[2]).regression == nil)
    // The medians are 24.45 ms before and 27.45 ms now: 27.45 / 24.45 - 1 = 0.1227.
    let partly = try #require(try history(parts[0] + parts[1] + parts[3]).regression)
    #expect(partly.change.index == 7)
    #expect(abs(partly.size - 0.1227) < 0.0001)
  }

  @Test func `the charts of a history match their snapshots`() throws {
    let figure = try Self.document().figure
    #expect(MarkupCheck.problem(in: SVGFigure.document(figure)) == nil)
    expectSnapshot(SVGFigure.document(figure), "history.svg")
    expectSnapshot(
      GnuplotScript(figure: figure, format: .svg).text, "history.gp")
  }

  @Test func `a history that is too short has the number of missing commits`() throws {
    let document = try Self.document(0..<4)
    #expect(
      document.sentence
        == "Undecided: a change of cpu.total needs 10 commits, the history has 4.")
    #expect(document.warnings.map(\.code) == ["history.short"])
    #expect(document.warnings[0].remedy.contains("Build and measure 6 more commits"))
  }

  @Test func `a first commit that is far from the others leaves the history undecided`() throws {
    let document = try Self.document(outlier: 0)
    #expect(
      document.sentence
        == "Undecided: cpu.total was 80.25 ms up to 0000000000, far from 24.55 ms after, but 1 commit "
        + "cannot show a change.")
    #expect(
      document.warnings.map(\.remedy)
        == ["`perfkit diff 0000000000 1111111111 --scenario scroll` judges the change now."])
  }

  @Test func `the builds of one commit with changes are told apart by their time`() throws {
    let commit = Self.commit(0)
    let runs = (0..<3).map { Self.run($0, 24, isDirty: $0 > 0, of: commit) }
    let history = try #require(
      MetricHistory(of: runs, metric: "cpu.total", order: [commit]))
    let table = HistoryDocument(
      history, scenario: "scroll", variant: "optimised", isInCommitOrder: true
    ).pointTable
    #expect(table.rows.map { $0[0].text } == ["0000000000", "0000000000+", "0000000000+"])
    #expect(table.rows.map { $0[1].text.count } == [10, 16, 16])
    #expect(Set(table.rows.map { $0[1].text }).count == 3)
  }

  @Test func `a late commit that is far from the others leaves the history undecided`() throws {
    let document = try Self.document(outlier: 12)
    let words =
      "cpu.total is 80.25 ms since cccccccccc, far from 24.55 ms before, but 1 commit cannot show a change"
    #expect(document.sentence == "Undecided: \(words).")
    #expect(document.warnings.map(\.code) == ["history.recent"])
    #expect(
      document.warnings[0].remedy
        == "`perfkit diff bbbbbbbbbb cccccccccc --scenario scroll` judges the change now.")
  }

  @Test(
    arguments: [
      ([1, 2, 3, 4, 5, 6, 7, 8], 8, "▁▂▃▄▅▆▇█"), ([5, 5, 5], 8, "▄▄▄"), ([], 8, ""),
      // Neighbouring values are averaged: 1.5, 3.5, 8.
      ([1, 2, 3, 4, 8, 8], 3, "▁▃█"), ([-1, 0], 8, "▁█"),
    ] as [([Double], Int, String)])
  func `a sparkline is scaled from the lowest to the highest value`(
    values: [Double], width: Int, line: String
  ) {
    #expect(Sparkline.text(of: values, width: width) == line)
  }
}
