import PerfModel
import PerfStatistics
import Testing

@Suite struct `Disturbed launches` {
  private func run(_ metrics: [String: [Double]]) -> Run {
    TestRuns.run(metrics.merging(["wall": [100, 100, 100, 100]]) { $1 })
  }

  @Test
  func `disturbances of at least a quarter of the launches are reported with the largest share`() {
    let warnings = Disturbance.warnings(of: run(["steal": [0, 0, 7, 1]]))
    #expect(warnings.map(\.code) == ["machine.steal"])
    #expect(
      warnings.first?.message
        == "in 1 of 4 launches, the host gave CPU time to other machines for at least 2% of the time, "
        + "up to 7% (all CPUs together)")
  }

  @Test func `disturbances below their threshold are not reported`() {
    #expect(Disturbance.warnings(of: run(["steal": [1, 1, 1, 1.9]])).isEmpty)
    #expect(Disturbance.warnings(of: run(["run_delay": [9, 9, 9, 9]])).isEmpty)
    #expect(Disturbance.warnings(of: run([:])).isEmpty)
  }

  @Test func `disturbances are relative to the time of counting, not to the wall time`() {
    // 9 of 500 counted ms are 1.8 %, and 250 are 50 %; relative to the wall time of 100 ms they
    // would be 250 %.
    let counted: [Double] = [500, 500, 500, 500]
    #expect(
      Disturbance.warnings(of: run(["steal": [9, 9, 9, 9], "steal.window": counted])).isEmpty)
    let delays: [String: [Double]] = [
      "frame.run_delay": [250, 0, 0, 0], "run_delay.window": counted,
    ]
    #expect(Disturbance.warnings(of: run(delays)).first?.message.hasSuffix("at most 50%") == true)
    let stalls: [String: [Double]] = [
      "psi.memory": [250, 0, 0, 0], "psi.window": counted,
    ]
    #expect(Disturbance.warnings(of: run(stalls)).first?.message.hasSuffix("at most 50%") == true)
    // Two CPUs that were taken all the time, and a launch shorter than a tick.
    let steal: [String: [Double]] = [
      "steal": [1000, 0, 0, 0], "steal.window": [500, 0, 0, 0],
    ]
    #expect(
      Disturbance.warnings(of: run(steal)).first?.message
        == "in 1 of 4 launches, the host gave CPU time to other machines for at least 2% of the time, "
        + "up to 200% (all CPUs together)")
  }

  @Test func `disturbances are judged by the frame thread if there are frames`() {
    let waiting: [Double] = [50, 50, 50, 50]
    #expect(
      Disturbance.warnings(of: run(["run_delay": waiting])).map(\.code) == ["machine.run_delay"])
    #expect(
      Disturbance.warnings(of: run(["run_delay": waiting, "frame.run_delay": [0, 0, 0, 0]])).isEmpty
    )
  }
}
