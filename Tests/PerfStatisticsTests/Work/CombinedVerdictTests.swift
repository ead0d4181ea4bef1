import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStatistics

struct CombinedVerdictTests {
  private func metric(
    _ name: String, _ verdict: ComparisonVerdict, dimension: PerfModel.Dimension = .time,
    estimate: Double = 0.01, worst: Double? = 0.05, p: Double = 0.3, failures: Int = 0
  ) -> MetricComparison {
    MetricComparison(
      definition: MetricDefinition(
        name: name, dimension: dimension, direction: .lower, scale: .ratio, summary: ""),
      base: 1, candidate: 1, ratio: 1, estimate: estimate, low: -0.05, high: 0.05, p: p,
      n: (40, 40), worst: worst, margin: 0.02, isGating: true, verdict: verdict, failures: failures)
  }

  private func combined(
    _ time: ComparisonVerdict, _ work: ComparisonVerdict, _ metrics: [MetricComparison] = [],
    isAlone: Bool = false, warnings: [String] = []
  ) -> ComparisonVerdict {
    let side = Comparison.Side(CountedRuns.run([1]))
    var comparison = Comparison(
      id: "c", base: side, candidate: side, alpha: 0.02, seed: 1, metrics: metrics, functions: [],
      environmentDifferences: [], warnings: warnings.map { RunWarning(code: $0, message: "") },
      verdict: time)
    comparison.work = WorkComparison(
      metrics: [], functions: [], nondeterminism: .init(base: 0, candidate: 0),
      isDeterministic: true, isAlone: isAlone, verdict: work)
    return comparison.combined
  }

  @Test(arguments: [
    (ComparisonVerdict.regressed, ComparisonVerdict.equivalent, ComparisonVerdict.regressed),
    (.equivalent, .regressed, .regressed), (.inconclusive, .regressed, .regressed),
    (.improved, .regressed, .regressed), (.equivalent, .equivalent, .equivalent),
    (.equivalent, .improved, .improved), (.improved, .equivalent, .improved),
    (.void, .regressed, .void),
    // Undecided work leaves the verdict to the time.
    (.equivalent, .inconclusive, .equivalent), (.inconclusive, .inconclusive, .inconclusive),
  ])
  func `the worse of work and time counts`(
    time: ComparisonVerdict, work: ComparisonVerdict, expected: ComparisonVerdict
  ) {
    let metrics = time == .inconclusive ? [metric("rss.peak", .inconclusive, dimension: .size)] : []
    #expect(combined(time, work, metrics) == expected)
  }

  @Test func `unchanged work settles undecided times`() {
    let metrics = [
      metric("wall", .inconclusive), metric("rss.peak", .equivalent, dimension: .size),
    ]
    #expect(combined(.inconclusive, .equivalent, metrics) == .equivalent)
    #expect(combined(.inconclusive, .improved, metrics) == .improved)
  }

  @Test func `unchanged work settles neither memory nor failed launches nor controls`() {
    let memory = metric("rss.peak", .inconclusive, dimension: .size)
    #expect(combined(.inconclusive, .equivalent, [memory]) == .inconclusive)
    let failed = metric("wall", .inconclusive, failures: 1)
    #expect(combined(.inconclusive, .equivalent, [failed]) == .inconclusive)
    for code in [PairedComparer.controlUnknown, GatingMetrics.missingCode] {
      let time = metric("wall", .inconclusive)
      #expect(combined(.inconclusive, .equivalent, [time], warnings: [code]) == .inconclusive)
    }
  }

  @Test func `a time that probably rose stays undecided although the work did not change`() {
    let slower = metric("wall", .inconclusive, estimate: 0.04, p: 0.005)
    #expect(combined(.inconclusive, .equivalent, [slower]) == .inconclusive)
    let faster = metric("wall", .inconclusive, estimate: -0.04, p: 0.005)
    #expect(combined(.inconclusive, .equivalent, [faster]) == .equivalent)
  }

  @Test func `unchanged work settles a time only if it cannot have risen by three margins`() {
    for (worst, expected) in [
      (0.059, ComparisonVerdict.equivalent), (0.06, .inconclusive), (nil, .inconclusive),
    ] as [(Double?, ComparisonVerdict)] {
      #expect(
        combined(.inconclusive, .equivalent, [metric("wall", .inconclusive, worst: worst)])
          == expected
      )
    }
  }

  @Test func `time does not count if only counted metrics gate`() {
    #expect(combined(.regressed, .equivalent, isAlone: true) == .equivalent)
    #expect(combined(.equivalent, .inconclusive, isAlone: true) == .equivalent)
  }

  @Test func `a policy names timed and counted metrics, each with its margin`() {
    let policy = Scenario.GatePolicy(
      metrics: ["wall": nil, "work.data_misses": Scenario.Margin(relative: 0.01)])
    #expect(policy.timed.metrics.keys.sorted() == ["wall"])
    #expect(policy.counted.metrics.keys.sorted() == ["work.data_misses"])
    #expect(policy.counted.margin(of: "work.data_misses").relative == 0.01)
    #expect(policy.namesWork && !policy.namesOnlyWork)
    let standard = Scenario.GatePolicy()
    #expect(standard.counted.metrics.keys.sorted() == ["work.instructions"])
    #expect(standard.counted.margin(of: "work.instructions").relative == 0.005)
    #expect(!standard.namesWork)
    #expect(Scenario.GatePolicy(metrics: ["work.calls": nil]).namesOnlyWork)
  }

  @Test func `a report's counts give the same work again`() throws {
    let base = CountedRuns.run(
      [1e6, 1e6, 1e6, 1e6], functions: ["parse": [9, 9, 9, 9], "same": [1, 1, 1, 1]])
    let candidate = CountedRuns.run(
      [1.1e6, 1.1e6, 1.1e6, 1.1e6],
      functions: ["parse": [90, 90, 90, 90], "same": [1, 1, 1, 1]])
    let design = ComparisonDesign.Counting(
      policy: Scenario.GatePolicy().counted, gatingCount: 2, isAlone: false)
    let evidence = WorkEvidence(design, base: [base], candidate: [candidate])
    // Only functions that changed are kept.
    #expect(evidence.compact.base.functions.map(\.name) == ["parse"])
    let data = try JSONEncoder().encode(evidence.compact)
    let again = try JSONDecoder().decode(WorkEvidence.self, from: data)
    #expect(again.comparison == evidence.comparison)
    #expect(again.comparison.verdict == .regressed)
  }
}
