internal import PerfWorkload
internal import Synchronization
public import Tracing

/// A tracer that records spans as signposts on the timeline of a launch.
///
///     InstrumentationSystem.bootstrap(PerfTracer())
///
/// Spans have the times at which they are started and ended: instants that the program passes are
/// ignored, because the timeline has a clock of its own, CLOCK_MONOTONIC. Events and errors are
/// moments of the timeline. Attributes, links, kinds and statuses are not recorded. Nothing is
/// recorded, and nothing fails, when PerfKit does not run the program.
public struct PerfTracer: Tracer {
  /// Creates a tracer.
  public init() {}

  /// Starts a span with the current time.
  public func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> InstrumentationContext,
    ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
    file fileID: String, line: UInt
  ) -> PerfSpan {
    PerfSpan(operationName, context: context())
  }

  /// Does nothing: spans are recorded when they end.
  public func forceFlush() {}

  /// Does nothing: a launch is one process.
  public func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}

  /// Does nothing: a launch is one process.
  public func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {}
}

/// A span that becomes a signpost when it ends.
///
/// Any thread can end it, so samples do not carry it; `Signpost.measure` marks samples.
public final class PerfSpan: Tracing.Span {
  /// The context in which the span was started.
  public let context: InstrumentationContext

  private struct State {
    var name: String
    var attributes: SpanAttributes = [:]
    var hasEnded = false
  }

  private let began: UInt64
  private let state: Mutex<State>

  init(_ name: String, context: InstrumentationContext) {
    self.context = context
    state = Mutex(State(name: name))
    began = Clock.monotonic()
  }

  /// The name of the signpost; the last one that is set before the end counts.
  public var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  /// The attributes, which are kept until the end of the span and not recorded.
  public var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }

  /// Whether the span has not ended and PerfKit runs the program.
  public var isRecording: Bool {
    !state.withLock { $0.hasEnded } && Signpost(named: operationName).isRecorded
  }

  /// Does nothing.
  public func setStatus(_ status: SpanStatus) {}

  /// Does nothing.
  public func addLink(_ link: SpanLink) {}

  /// Marks the current moment with the event's name.
  public func addEvent(_ event: SpanEvent) { Signpost(named: event.name).emit() }

  /// Marks the current moment with the span's name and `.error`.
  public func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    Signpost(named: operationName + ".error").emit()
  }

  /// Records the span, from its start to now; further calls do nothing.
  public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let ended = Clock.monotonic()
    let name = state.withLock { state -> String? in
      defer { state.hasEnded = true }
      return state.hasEnded ? nil : state.name
    }
    if let name { Signpost(named: name).record(from: began, to: ended) }
  }
}
