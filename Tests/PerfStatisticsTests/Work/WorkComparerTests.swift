import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStatistics

struct WorkComparerTests {
  private func compare(
    _ base: Run, _ candidate: Run, metrics: [String: Scenario.Margin?] = [:]
  ) -> WorkComparison {
    let policy = Scenario.GatePolicy(metrics: metrics).counted
    return WorkComparer(policy: policy).compare(WorkCounts([base]), WorkCounts([candidate]))
  }

  private func compare(_ base: [Double], _ candidate: [Double]) -> WorkComparison {
    compare(CountedRuns.run(base), CountedRuns.run(candidate))
  }

  @Test func `equal counts of two launches are equivalent at once`() throws {
    let work = compare([1e9, 1e9], [1e9, 1e9])
    #expect(work.verdict == .equivalent && !work.needsLaunches)
    let metric = try #require(work.metrics.first)
    #expect(metric.low == 0 && metric.high == 0 && metric.note == "all counts are equal")
    #expect(metric.margin == 0.005)
  }

  @Test func `the interval is Student's with the pooled variance`() throws {
    let margin = Scenario.Margin(absolute: 5)
    let work = compare(
      CountedRuns.run([1000, 1002]), CountedRuns.run([1010, 1012]),
      metrics: ["work.instructions": margin])
    // The variance is (2 + 2) / 2 = 2 and the standard error (2 (1/2 + 1/2))^(1/2) = 1.41421. The
    // 99 % quantile of |t| with 2 degrees of freedom is 9.92484 (Abramowitz and Stegun, table
    // 26.10): one metric has half of 2 %. 9.92484 * 1.41421 = 14.0358.
    let metric = try #require(work.metrics.first)
    #expect(metric.estimate == 10)
    #expect(abs((metric.low ?? 0) + 4.0358) < 1e-3 && abs((metric.high ?? 0) - 24.0358) < 1e-3)
    #expect(work.verdict == .inconclusive && work.needsLaunches)
  }

  @Test func `a change is decided by four launches of each side`() {
    let (base, candidate) = (
      [1_000_000.0, 1_000_001, 1_000_000, 1_000_002],
      [1_010_000.0, 1_010_002, 1_010_001, 1_010_000]
    )
    for launches in 2...3 {
      let few = compare(Array(base.prefix(launches)), Array(candidate.prefix(launches)))
      #expect(few.verdict == .inconclusive && few.needsLaunches)
      #expect(few.metrics.first?.note == "further launches may confirm the change")
    }
    let four = compare(base, candidate)
    #expect(four.verdict == .regressed && !four.needsLaunches)
    #expect(compare(candidate, base).verdict == .improved)
  }

  @Test func `a change needs a gap that exceeds the range of both sides`() {
    // The ranges are 2,000. The standard error is 577, so that Student's interval is the change
    // -+2,141 (6 degrees of freedom, 1 %: 3.70743; Abramowitz and Stegun, table 26.10).
    let base = [1e6, 1.001e6, 1.001e6, 1.002e6]
    let margin = ["work.instructions": Scenario.Margin(relative: 0.002) as Scenario.Margin?]
    func verdict(_ more: Double) -> ComparisonVerdict {
      compare(CountedRuns.run(base), CountedRuns.run(base.map { $0 + more }), metrics: margin)
        .verdict
    }
    #expect(verdict(3900) == .inconclusive)
    #expect(verdict(4100) == .regressed)
  }

  @Test func `after four launches of each side the work stays undecided`() {
    // The change is 0.45 % and the margin 0.5 %.
    let work = compare([1e6, 1.001e6, 1e6, 1.001e6], [1.005e6, 1.006e6, 1.004e6, 1.005e6])
    #expect(work.verdict == .inconclusive && !work.needsLaunches)
    #expect(work.metrics.first?.note == "equal launches differ too much for the margin")
  }

  @Test func `a change below the margin is equivalent, and a finer margin finds it`() {
    let base = CountedRuns.run([1e6, 1e6, 1e6, 1e6])
    let candidate = CountedRuns.run([1.003e6, 1.003e6, 1.003e6, 1.003e6])
    #expect(compare(base, candidate).verdict == .equivalent)
    let finer = compare(
      base, candidate, metrics: ["work.instructions": Scenario.Margin(relative: 0.002)])
    #expect(finer.verdict == .regressed)
  }

  @Test func `equal launches that differ by more than one percent are nondeterministic`() {
    // 12,000 of 1,006,000 instructions are 1.2 %.
    let work = compare([1e6, 1.012e6], [1e6, 1e6])
    #expect(!work.isDeterministic && work.verdict == .inconclusive && !work.needsLaunches)
    #expect(work.nondeterminism.base > 0.0119 && work.nondeterminism.candidate == 0)
    #expect(
      work.metrics.first?.note == "nondeterministic: equal launches differ by 1.2%")
    #expect(compare([1e6, 1.009e6], [1e6, 1e6]).isDeterministic)
  }

  @Test func `a gating metric without counts leaves the work undecided`() {
    let run = CountedRuns.run([1e6, 1e6])
    let work = compare(
      run, run, metrics: ["work.instructions": nil, "work.data_misses": nil])
    #expect(work.verdict == .inconclusive && !work.needsLaunches)
    let misses = work.metrics.first { $0.definition.name == "work.data_misses" }
    #expect(misses?.note == "0 and 0 counts; each side needs two")
  }

  @Test func `counted metrics that do not gate are shown and decide nothing`() {
    let work = compare(
      CountedRuns.run([1e6, 1e6, 1e6, 1e6], misses: [100, 100, 100, 100]),
      CountedRuns.run([1e6, 1e6, 1e6, 1e6], misses: [300, 300, 300, 300]))
    #expect(work.metrics.map(\.verdict) == [.equivalent, .regressed])
    #expect(work.verdict == .equivalent)
  }

  @Test func `a lost launch leaves the work undecided unless it regressed`() {
    let base = CountedRuns.run([1e6, 1e6, 1e6, 1e6])
    #expect(
      compare(base, CountedRuns.run([1e6, 1e6, 1e6, 1e6], failed: 1)).verdict == .inconclusive)
    let slower = CountedRuns.run([1.1e6, 1.1e6, 1.1e6, 1.1e6], failed: 1)
    #expect(compare(base, slower).verdict == .regressed)
  }

  @Test
  func `children that are not counted leave the work undecided unless the rest exceeds the base`() {
    func run(_ count: Double) -> Run {
      let warning = RunWarning(code: WorkProfile.childrenUncounted, message: "not counted")
      return CountedRuns.run([count, count, count, count], warnings: [warning])
    }
    let work = compare(CountedRuns.run([1e6, 1e6, 1e6, 1e6]), run(1e6))
    #expect(work.verdict == .inconclusive)
    #expect(work.metrics.first?.note == "child processes are not counted")
    #expect(compare(run(1e6), run(0.9e6)).verdict == .inconclusive)
    // The children of the base may have done the work that the candidate does itself.
    #expect(compare(run(1e6), run(1.1e6)).verdict == .inconclusive)
    #expect(compare(CountedRuns.run([1e6, 1e6, 1e6, 1e6]), run(1.1e6)).verdict == .regressed)
  }

  // MARK: Functions

  @Test func `functions whose change exceeds their spread explain more work`() {
    let base = CountedRuns.run(
      [1e6, 1e6, 1e6, 1e6],
      functions: [
        "parse": [500_000, 500_000, 500_000, 500_000],
        "hash": [300_000, 320_000, 310_000, 310_000],
        "gone": [2000, 2000, 2000, 2000], "same": [7, 7, 7, 7],
      ])
    let candidate = CountedRuns.run(
      [1.05e6, 1.05e6, 1.05e6, 1.05e6],
      functions: [
        "parse": [550_000, 550_000, 550_000, 550_000],
        "hash": [315_000, 330_000, 320_000, 320_000],
        "same": [7, 7, 7, 7],
      ])
    let work = compare(base, candidate)
    #expect(work.functions.map(\.name) == ["parse", "hash", "gone"])
    #expect(work.functions.map(\.isChanged) == [true, false, true])
    // 2,000 instructions are less than a tenth of 50,000.
    #expect(work.culprits.map(\.name) == ["parse"])
    #expect(work.functions[0].difference == 50_000 && work.functions[0].baseCalls == 5000)
  }

  @Test func `equivalent work blames no function`() {
    let base = CountedRuns.run([1e6, 1e6], functions: ["parse": [1000, 1000]])
    let candidate = CountedRuns.run([1e6 + 100, 1e6 + 100], functions: ["parse": [1100, 1100]])
    let work = compare(base, candidate)
    #expect(work.functions.count == 1 && work.culprits.isEmpty)
  }

  @Test func `functions of several counted runs are joined by their key`() throws {
    let counts = WorkCounts([
      CountedRuns.run([10, 11], functions: ["a": [1, 2]]),
      CountedRuns.run([12], functions: ["b": [3]]),
    ])
    #expect(counts.values["work.instructions"] == [10, 11, 12] && counts.launches == 3)
    #expect(counts.functions.map(\.instructions) == [[1, 2, 0], [0, 0, 3]])
  }

  @Test func `misses of several counted runs are joined if all runs simulated them`() throws {
    let first = CountedRuns.run(
      [10, 11], functions: ["a": [1, 2], "b": [3, 4]],
      functionMisses: ["a": [5, 6], "b": [7, 8]])
    let second = CountedRuns.run([12], functions: ["a": [9]], functionMisses: ["a": [10]])
    #expect(
      WorkCounts([first, second]).functions.map(\.dataMisses) == [[5, 6, 10], [7, 8, 0]])
    let plain = CountedRuns.run([12], functions: ["a": [9]])
    #expect(WorkCounts([first, plain]).functions.map(\.dataMisses) == [nil, [7, 8, 0]])
  }

  @Test func `two stored counted runs are compared by their counts`() throws {
    let comparison = try RunComparer().compare(
      CountedRuns.run([1e6, 1e6, 1e6, 1e6], id: "a"),
      CountedRuns.run([1.1e6, 1.1e6, 1.1e6, 1.1e6], id: "b"))
    #expect(comparison.work?.verdict == .regressed && comparison.combined == .regressed)
    #expect(comparison.metrics.isEmpty)
  }
}
