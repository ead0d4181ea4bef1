import PerfModel
import Testing

@testable import PerfRunner

struct MissingMetricsTests {
  private func launch(
    _ index: Int, _ metrics: [String], isWarmup: Bool = false, status: Launch.Status = .completed
  ) -> Launch {
    Launch(
      index: index, isWarmup: isWarmup, status: status, offset: 0,
      metrics: Dictionary(uniqueKeysWithValues: metrics.map { ($0, 1) }))
  }

  @Test func `a metric that some launches lack is named with their number`() throws {
    let warning = try #require(
      MissingMetrics.warning(of: [
        launch(0, [], isWarmup: true), launch(1, [MetricName.steal, MetricName.psiCPU]),
        launch(2, [MetricName.psiCPU]), launch(3, []), launch(4, [], status: .crashed(signal: 11)),
      ]))
    #expect(warning.code == "metric.missing")
    #expect(warning.message == "of 3 launches, some have no value of psi.cpu (1), steal (2)")
  }

  @Test func `a metric that all launches have, or none, causes no warning`() {
    let launches = (0..<3).map { launch($0, [MetricName.faultsMinor]) }
    #expect(MissingMetrics.warning(of: launches) == nil)
    #expect(MissingMetrics.warning(of: []) == nil)
  }
}
