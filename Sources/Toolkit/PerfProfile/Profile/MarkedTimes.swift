internal import PerfModel

/// The phase, the signpost and the frame of a process at any time, from its marks.
///
/// The agent writes them into each of its samples. The kernel does not know them.
struct MarkedTimes {
  /// The name of the innermost span from a time on; empty between spans.
  private typealias Change = (time: UInt64, name: String)

  private let phases: [Int: [Change]]
  private let signposts: [Int: [Change]]
  /// The frames of all threads by start.
  private let frames: [FrameMarks.Frame]

  /// Creates the times of a capture.
  ///
  /// - Complexity: O(*n* log *n*) in the marks.
  init(_ capture: Capture) {
    phases = Self.changes(of: capture.phases)
    signposts = Self.changes(of: capture.signposts)
    frames = capture.intervals.flatMap(\.frames).sorted { $0.began < $1.began }
  }

  /// Returns the innermost phase of a thread; empty for none.
  func phase(of thread: UInt32, at time: UInt64) -> String {
    Self.name(in: phases[Int(thread)], at: time)
  }

  /// Returns the innermost signpost of a thread; empty for none.
  func signpost(of thread: UInt32, at time: UInt64) -> String {
    Self.name(in: signposts[Int(thread)], at: time)
  }

  /// Returns the number of the process's current frame; nil between frames.
  func frame(at time: UInt64) -> Int? {
    guard let place = lastIndex(of: frames.indices, where: { frames[$0].began <= time }),
      time <= frames[place].ended
    else { return nil }
    return frames[place].index
  }

  private static func name(in changes: [Change]?, at time: UInt64) -> String {
    guard let changes else { return "" }
    let place = lastIndex(of: changes.indices) { changes[$0].time <= time }
    return place.map { changes[$0].name } ?? ""
  }

  /// Returns the changes of the innermost span by thread.
  private static func changes(of spans: [Capture.Span]) -> [Int: [Change]] {
    Dictionary(grouping: spans.lazy.filter { !$0.isDetached }, by: \.thread)
      .mapValues(changes(ofThread:))
  }

  /// Returns the changes of the innermost span of a thread, in the order of time.
  private static func changes(ofThread spans: [Capture.Span]) -> [Change] {
    var changes: [Change] = []
    var open: [Capture.Span] = []
    func closeSpans(until time: UInt64) {
      while let inner = open.last, inner.ended <= time {
        open.removeLast()
        // Spans of one thread are nested, but damaged marks may overlap.
        changes.append((max(inner.ended, changes.last?.time ?? 0), open.last?.name ?? ""))
      }
    }
    // Of spans that begin together, the outer one ends last.
    for span in spans.sorted(by: { ($0.began, $1.ended) < ($1.began, $0.ended) }) {
      closeSpans(until: span.began)
      changes.append((span.began, span.name))
      open.append(span)
    }
    closeSpans(until: .max)
    return changes
  }
}
