import PerfModel
import Testing

/// The metrics of benchmarks of other suites.
struct SuiteBenchmarkTests {
  @Test func `metrics that a benchmark defines have different names, whatever their own names are`()
  {
    let names = ["Books/s", "books s", "Δ", "µ", "books_s_2"]
    let benchmark = SuiteBenchmark(
      target: "Suite", name: "any", listing: "{}",
      custom: names.map { .init(name: $0, direction: .higher) })
    #expect(
      benchmark.custom.map(\.metricName) == [
        "benchmark.custom.books_s", "benchmark.custom.books_s_2", "benchmark.custom.metric",
        "benchmark.custom.metric_2", "benchmark.custom.books_s_2_2",
      ])
    #expect(Set(benchmark.definitions.map(\.name)).count == benchmark.definitions.count)
  }
}
