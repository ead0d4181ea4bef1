import CoreMetrics
import PerfModel
import PerfStore
import PerfTestSupport
import PerfTracing
import Testing
import Tracing

struct TracingTests {
  /// Runs the example and returns its only launch.
  private static func launch() throws -> Launch {
    let folder = try TemporaryFolder()
    let variables = ["PERFKIT_STORE": folder("runs.sqlite")]
    let result = try ExampleTest("ExampleSpans/timeline").run(variables)
    // One launch decides no budget, which is a warning.
    try #require(result.status == 0, "\(result.output)")
    let store = try RunStore(path: folder("runs.sqlite"), access: .reading)
    let run = try store.run(id: try #require(try store.headers().first).id)
    return try #require(run.measured.first)
  }

  @Test func `spans, events and metrics are on the timeline of the launch`() throws {
    let launch = try Self.launch()
    func names(_ kind: PerfModel.Span.Kind) -> [String] {
      launch.spans.filter { $0.kind == kind }.map(\.name)
    }
    // By their ends.
    #expect(
      names(.signpost) == ["parse", "import", "fetch.cover", "refused", "ended", "query"])
    #expect(names(.event) == ["opened", "refused.error"])
    let query = try #require(launch.spans.first { $0.name == "query" })
    #expect(query.duration == 1000)
    let spans = Dictionary(grouping: launch.spans, by: \.name)
    let (outer, inner) = (try #require(spans["import"]?.first), try #require(spans["parse"]?.first))
    #expect(outer.began <= inner.began)
    #expect(inner.began + inner.duration <= outer.began + outer.duration)

    let series = Dictionary(
      uniqueKeysWithValues: launch.series.map { ($0.name, $0.values) })
    #expect(series["books{shelf=read}"] == [2, 3])
    #expect(series["litres"] == [0.5, 0])
    #expect(series["open"] == [3, 2])
    #expect(series["size"] == [7, 2.5])
  }

  @Test func `a program that PerfKit does not run records nothing`() {
    let span = PerfTracer().startSpan("alone")
    #expect(!span.isRecording)
    span.attributes["pages"] = 3
    #expect(span.attributes.count == 1)
    span.operationName = "renamed"
    #expect(span.operationName == "renamed")
    span.end()
    // No reader can observe this increment: it must return without a harness.
    Counter(label: "books", factory: PerfMetricsFactory()).increment()
  }
}
