import PerfModel
import PerfStatistics
import Testing

@Suite struct `Disturbed launches` {
  private func run(_ metrics: [String: [Double]]) -> Run {
    TestRuns.run(metrics.merging(["wall": [100, 100, 100, 100]]) { $1 })
  }

  @Test func `are told when they are a quarter or more, with the worst of them`() {
    let warnings = Disturbance.warnings(of: run(["steal": [0, 0, 7, 1]]))
    #expect(warnings.map(\.code) == ["machine.steal"])
    #expect(
      warnings.first?.message
        == "in 1 of 4 launches the host gave CPU time to other machines for 2% of the time or more, "
        + "at most 7%")
  }

  @Test func `below their share are not`() {
    #expect(Disturbance.warnings(of: run(["steal": [1, 1, 1, 1.9]])).isEmpty)
    #expect(Disturbance.warnings(of: run(["run_delay": [9, 9, 9, 9]])).isEmpty)
    #expect(Disturbance.warnings(of: run([:])).isEmpty)
  }

  @Test func `are judged by the frame thread where there are frames`() {
    let waiting: [Double] = [50, 50, 50, 50]
    #expect(
      Disturbance.warnings(of: run(["run_delay": waiting])).map(\.code) == ["machine.run_delay"])
    #expect(
      Disturbance.warnings(of: run(["run_delay": waiting, "frame.run_delay": [0, 0, 0, 0]])).isEmpty
    )
  }
}
