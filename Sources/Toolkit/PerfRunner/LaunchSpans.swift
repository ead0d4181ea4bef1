internal import PerfModel
internal import PerfProfile

/// The spans of a launch, from the marks of its worker.
struct LaunchSpans {
  /// The maximum number of spans of a launch; later spans are dropped.
  ///
  /// A worker that marks in a tight loop must not fill the store. This number takes 2 MB, and
  /// suffices for 120 frames a second with 100 phases each for 20 seconds.
  static let most = 250_000

  /// The spans within the measured phase, by end.
  let spans: [Span]
  let warnings: [RunWarning]

  /// Creates the spans from the marks of a launch; `measured` is in nanoseconds of CLOCK_MONOTONIC.
  init(_ marks: Capture, measured: ClosedRange<UInt64>) {
    func spans(_ marks: [Capture.Span], _ kind: Span.Kind) -> [Span] {
      marks.filter { measured.contains($0.began) && measured.contains($0.ended) }.map {
        Span(
          name: $0.name, kind: kind, serial: $0.thread, began: $0.began - measured.lowerBound,
          duration: $0.ended - $0.began)
      }
    }
    let events = marks.events.filter { measured.contains($0.time) }.map {
      Span(
        name: $0.name, kind: .event, serial: $0.thread, began: $0.time - measured.lowerBound,
        duration: 0)
    }
    let all = (spans(marks.phases, .phase) + spans(marks.signposts, .signpost) + events)
      .sorted { $0.began + $0.duration < $1.began + $1.duration }
    self.spans = Array(all.prefix(Self.most))
    warnings =
      all.count <= Self.most
      ? []
      : [
        RunWarning(
          code: "spans.left_out",
          message:
            "\(all.count - Self.most) phases, signposts and events of a launch are not stored",
          remedy: "Mark larger parts of the work. Metrics and samples are not affected.")
      ]
  }
}
