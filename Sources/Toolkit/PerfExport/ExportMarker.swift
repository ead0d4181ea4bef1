internal import PerfModel

/// What a launch was busy with for some time: a frame, a phase, a signpost or an event.
struct ExportMarker {
  enum Kind: String, CaseIterable {
    case frame
    case phase
    case signpost
    case event
  }

  let kind: Kind
  let name: String
  /// Nanoseconds from the begin of the measured phase.
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
    // Tools give each name a row and a colour.
    name = frame.isLate ? "missed frame" : "frame"
    began = frame.began - zero
    ended = Self.end(of: frame.cost, from: began)
    self.frame = frame
  }

  /// Returns when what takes some time ends, at most the last moment that there is.
  private static func end(of duration: UInt64, from began: UInt64) -> UInt64 {
    began + min(duration, .max - began)
  }

  /// Makes the markers of a launch's frames; none when it is not known when its measured phase began.
  static func frames(of launch: Launch) -> [ExportMarker] {
    guard let zero = launch.began else { return [] }
    return launch.frames.filter { $0.began >= zero }.map { ExportMarker($0, zero: zero) }
  }

  /// Writes what tools show of a marker.
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
  /// Whether it missed its refresh.
  fileprivate var isLate: Bool { overrun > 0 }
}
