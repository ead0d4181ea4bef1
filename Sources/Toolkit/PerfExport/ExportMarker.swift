internal import PerfModel

/// A marker on the time line of a launch: a frame, a phase, a signpost or an event.
struct ExportMarker {
  enum Kind: String, CaseIterable {
    case frame
    case phase
    case signpost
    case event
  }

  let kind: Kind
  let name: String
  /// The start in nanoseconds since the start of the measured phase.
  let began: UInt64
  let ended: UInt64
  var frame: FrameRecord?

  init(_ span: Span) {
    kind =
      switch span.kind {
      case .phase: .phase
      case .signpost: .signpost
      case .event: .event
      }
    name = span.name
    began = span.began
    ended = Self.end(of: span.duration, from: began)
  }

  private init(_ frame: FrameRecord, zero: UInt64) {
    kind = .frame
    // Tools group markers by name and give each name a colour.
    name = frame.isLate ? "missed frame" : "frame"
    began = frame.began - zero
    ended = Self.end(of: frame.cost, from: began)
    self.frame = frame
  }

  /// Returns the end of a duration, limited to the largest time.
  private static func end(of duration: UInt64, from began: UInt64) -> UInt64 {
    began + min(duration, .max - began)
  }

  /// Returns the markers of a launch's frames; none when the start of its measured phase is
  /// unknown.
  static func frames(of launch: Launch) -> [ExportMarker] {
    guard let zero = launch.began else { return [] }
    return launch.frames.filter { $0.began >= zero }.map { ExportMarker($0, zero: zero) }
  }

  /// Writes the fields of a marker that tools display.
  func writeData(to json: inout JSONWriter) {
    json.object { json in
      json.member("type", kind.rawValue)
      guard let frame else { return }
      json.member("index", frame.index)
      json.member("fate", frame.isLate ? "missed" : "on time")
      json.key("cpu")
      json.fixed(frame.cpu, digits: 6)
      json.member("overrun", Double(frame.overrun) / 1e6)
      json.key("hitch")
      json.fixed(frame.hitch, digits: 6)
      json.member("missed", frame.missed)
      json.member("color", frame.isLate ? "red" : "green")
    }
  }
}

extension FrameRecord {
  fileprivate var isLate: Bool { overrun > 0 }
}
