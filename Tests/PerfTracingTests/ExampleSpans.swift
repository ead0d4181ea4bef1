import CoreMetrics
import PerfTestSupport
import PerfTesting
import PerfTracing
import Testing
import Tracing

/// A test that traces and counts; `TracingTests` runs it and reads its timeline.
@Suite(.enabled(if: ExampleTest.areWanted))
struct ExampleSpans {
  private struct Refusal: Error {}

  @Test(.budget("wall <= 60 s", launches: 1))
  func timeline() async throws {
    let tracer = PerfTracer()
    tracer.withSpan("import") { span in
      span.addEvent("opened")
      tracer.withSpan("parse") { _ in }
    }
    await tracer.withSpan("fetch") { span in
      await Task.yield()
      span.operationName = "fetch.cover"
    }
    try? tracer.withSpan("refused") { _ in throw Refusal() }
    // The end of a span counts once.
    let span = tracer.startSpan("ended")
    span.end()
    span.end()

    let metrics = PerfMetricsFactory()
    let counter = Counter(label: "books", dimensions: [("shelf", "read")], factory: metrics)
    counter.increment(by: 2)
    // The same metric continues the total.
    Counter(label: "books", dimensions: [("shelf", "read")], factory: metrics).increment()
    let litres = FloatingPointCounter(label: "litres", factory: metrics)
    litres.increment(by: 0.5)
    litres.reset()
    let meter = Meter(label: "open", factory: metrics)
    meter.set(3)
    meter.decrement()
    let size = Recorder(label: "size", factory: metrics)
    size.record(7)
    size.record(2.5)
    Timer(label: "query", factory: metrics).recordMicroseconds(1)
  }
}
