internal import PerfModel
internal import PerfProfile

/// The spans of a launch, made of the marks that its worker wrote while it was measured.
struct LaunchSpans {
  /// The most spans that are kept of a launch; the first ones are.
  ///
  /// A worker that marks in a tight loop must not fill the store. They are 2 MB there, and 120 frames
  /// a second with 100 phases each for 20 seconds.
  static let most = 250_000

  /// Those that lie within the measured phase, by end.
  let spans: [Span]
  /// What is missing of them.
  let warnings: [RunWarning]

  /// Makes the spans.
  ///
  /// - Parameters:
  ///   - marks: The launch's marks.
  ///   - measured: Its measured phase in CLOCK_MONOTONIC nanoseconds.
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
          remedy: "Mark larger parts of the work; metrics and samples are not affected.")
      ]
  }
}
