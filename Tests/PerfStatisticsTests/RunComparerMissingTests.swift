import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

/// Comparisons of runs whose metrics lack values or have impossible values.
struct RunComparerMissingTests {
  @Test
  func `a run comparison of negative times is inconclusive`() throws {
    for (base, candidate) in [(-5.0, -9.0), (5, -5), (-5, 5)] {
      let sides = [base, candidate].map { TestRuns.spread($0, by: 0.001, count: 8) }
      let comparison = try TestRuns.compare(["wall": sides[0]], ["wall": sides[1]])
      #expect(comparison.verdict == .inconclusive)
      #expect(
        try #require(comparison.metrics.first).note
          == "\(base < 0 && candidate < 0 ? 16 : 8) negative values, which the metric cannot have")
    }
  }

  @Test
  func `a gating metric that one side lacks is inconclusive and named`() throws {
    let values = TestRuns.spread(100, by: 0.001, count: 8)
    let half = try TestRuns.compare(
      ["wall": values, "frame.rate": values], ["wall": values.map { $0 / 9 }],
      gate: ["wall": nil, "frame.rate": nil])
    #expect(half.verdict == .inconclusive)
    #expect(half.metrics.map(\.note).contains("no values in the candidate"))
    let none = try TestRuns.compare(
      ["wall": values], ["wall": values.map { $0 / 9 }],
      gate: ["wall": nil, "rss.peak": nil])
    #expect(none.verdict == .inconclusive)
    #expect(none.warnings.contains { $0.code == "comparison.metric_missing" })
  }

  @Test
  func `runs without a common metric are an error`() {
    #expect(throws: StatisticsError.nothingInCommon(base: "a", candidate: "b")) {
      try TestRuns.compare(["wall": [1, 2]], ["frame.rate": [1, 2]])
    }
    #expect(throws: StatisticsError.nothingInCommon(base: "a", candidate: "b")) {
      try TestRuns.compare([:], [:])
    }
  }

  @Test
  func `a counted run and a run with times are an error that names the counted one`() {
    let (timed, counted) = (TestRuns.run(["wall": [1, 2]], id: "t"), CountedRuns.run([100, 100]))
    for (base, candidate) in [(timed, counted), (counted, timed)] {
      #expect(throws: StatisticsError.countedAlone(run: "w", other: "t")) {
        try RunComparer().compare(base, candidate)
      }
    }
  }

  @Test
  func `a value that is not finite leaves its metric inconclusive`() throws {
    let comparison = try TestRuns.compare(["wall": [1, .nan, 3]], ["wall": [1, 2, 3]])
    let metric = try #require(comparison.metrics.first)
    #expect(metric.verdict == .inconclusive)
    #expect(metric.base == nil && metric.candidate == 2)
    #expect(metric.note.contains("is not a finite number"))
  }

  @Test
  func `a metric that some launches lack is regressed or inconclusive`() throws {
    // Twenty launches per side, whose intervals are narrow even when widened for drift.
    func verdict(_ base: Run, _ candidate: Run) throws -> (ComparisonVerdict, String) {
      let comparison = try RunComparer(
        policy: Scenario.GatePolicy(margin: .init(relative: 0.2), metrics: ["wall": nil])
      ).compare(base, candidate)
      let metric = try #require(comparison.metrics.first { $0.definition.name == "wall" })
      return (metric.verdict, metric.note)
    }
    func run(_ middle: Double, lost: Int = 0) -> Run {
      TestRuns.run(["wall": TestRuns.spread(middle, by: 0.001, count: 20)], lost: lost)
    }
    #expect(try verdict(run(100), run(50)) == (.improved, ""))
    let gap = "missing in 2 of 22 launches of the candidate"
    #expect(try verdict(run(100), run(50, lost: 2)) == (.inconclusive, gap))
    let both =
      "missing in 2 of 22 launches of the base, missing in 1 of 21 launches of the candidate"
    #expect(try verdict(run(100, lost: 2), run(50, lost: 1)) == (.inconclusive, both))
    #expect(try verdict(run(50), run(100, lost: 2)) == (.regressed, ""))
  }
}
