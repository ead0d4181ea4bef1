import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

/// The budgets of a report on a run.
struct RunDocumentTests {
  @Test func `a note shared by several budgets is shown once, below them`() throws {
    let run = SampleRuns.run(variant: "naive", launches: 6)
    let budgets = zip(run.budgets, ["few launches", "few launches", "not measured"]).map {
      BudgetResult(budget: $0, value: 1, interval: nil, verdict: .unknown, note: $1)
    }
    try #require(budgets.count == 3)
    let document = RunDocument(
      run: run, metrics: [], budgets: budgets, verdict: .unknown, reportPath: nil)
    let table = try #require(document.budgetTable)
    #expect(table.rows.compactMap(\.last?.text) == ["", "", "not measured"])
    #expect(table.caption == "few launches.")
  }

  @Test(
    arguments: [
      (50_004_096, 50_004_096...50_008_192, "50.004 MB", "[50.004, 50.008]"),
      (50e6, 50e6...50e6, "50 MB", "[50, 50]"),
      (50e6 + 1e-7, 50e6...50e6, "50 MB", "[50, 50]"),
      (51_234_567, 50_000_001...60e6, "51.234567 MB", "[50.000001, 60]"),
    ] as [(Double, ClosedRange<Double>, String, String)])
  func `a measured value reads like the limit only if it equals the limit`(
    value: Double, interval: ClosedRange<Double>, shown: String, ends: String
  ) throws {
    let sample = SampleRuns.run(launches: 6, samples: 0)
    let budget = try #require(sample.budgets.first { $0.limit.description == "150 MB" })
    let result = BudgetResult(
      budget: Budget(
        metric: budget.metric, statistic: budget.statistic, comparison: budget.comparison,
        limit: Quantity(50, budget.limit.unit)),
      value: value, interval: interval, verdict: .broken)
    let document = RunDocument(run: sample, metrics: [], budgets: [result], verdict: .broken)
    let row = try #require(document.budgetTable?.rows.first)
    #expect(row[2].text == shown)
    #expect(row[3].text == ends)
    #expect(document.verdictSentence.contains("rss.peak is \(shown) (limit <= 50 MB)"))
  }

  @Test func `a run without budgets is not judged`() {
    let sample = SampleRuns.run(launches: 6, samples: 0)
    let run = Run(
      id: sample.id, scenario: "any", variant: "v", label: nil, started: sample.started, seed: 1,
      parameters: [:], command: [], environment: sample.environment,
      definitions: sample.definitions, launches: sample.launches, budgets: [], profile: nil,
      warnings: [], wasInterrupted: false)
    let document = SampleDocuments.document(of: run)
    #expect(document.verdictSentence == "Not judged: any:v has no budgets.")
    #expect(document.verdictTone == .plain)
  }

  @Test func `a run whose launches all failed begins with their failure`() {
    let sample = SampleRuns.run(launches: 1, samples: 0)
    let run = Run(
      id: sample.id, scenario: "any", variant: "v", label: nil, started: sample.started, seed: 1,
      parameters: [:], command: [], environment: sample.environment,
      definitions: sample.definitions,
      launches: [
        Launch(index: 0, isWarmup: false, status: .crashed(signal: 11), offset: 0, metrics: [:])
      ], budgets: [], profile: nil, warnings: [], wasInterrupted: false)
    #expect(
      SampleDocuments.document(of: run).verdictSentence
        == "1 of 1 launch did not complete: crashed (SIGSEGV).")
  }

  @Test func `a run of record begins with the size of its profile`() {
    let sample = SampleRuns.run(launches: 1, samples: 40)
    let run = Run(
      id: sample.id, scenario: "any", variant: Run.recordVariant, label: nil,
      started: sample.started, seed: 1, parameters: [:], command: [],
      environment: sample.environment, definitions: sample.definitions, launches: sample.launches,
      budgets: [], profile: sample.profile, warnings: [], wasInterrupted: false)
    let sentence = SampleDocuments.document(of: run).verdictSentence
    #expect(sentence.hasPrefix("Profiled: 28 samples, "), "\(sentence)")
  }
}
