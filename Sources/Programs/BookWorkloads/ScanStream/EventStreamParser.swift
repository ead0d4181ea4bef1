/// A parser of server-sent events, fed with pieces of any size.
///
/// An event that is not ended by an empty line is never returned, as when a connection breaks in it.
///
/// Source: WHATWG HTML Living Standard, section 9.2.6, "Interpreting an event stream".
struct EventStreamParser {
  /// A received event.
  struct Event: Hashable {
    /// The last identifier that the stream has set; empty at first.
    var id = ""
    /// The type; `message` unless the event names one.
    var type = "message"
    /// The lines of data, joined by line feeds.
    var data = ""
  }

  /// The longest accepted line in bytes; a longer one ends the stream.
  static let longestLine = 1 << 20

  private var line: [UInt8] = []
  private var endsWithReturn = false
  private var event = Event()
  private var hasData = false

  /// Returns the events that end in a piece of the stream.
  ///
  /// - Returns: The events in order; nil if a line is too long.
  mutating func events(in bytes: some Sequence<UInt8>) -> [Event]? {
    var found: [Event] = []
    for byte in bytes {
      // A line ends with CR LF, LF or CR.
      if byte == UInt8(ascii: "\n"), endsWithReturn {
        endsWithReturn = false
        continue
      }
      endsWithReturn = byte == UInt8(ascii: "\r")
      guard byte == UInt8(ascii: "\n") || endsWithReturn else {
        guard line.count < Self.longestLine else { return nil }
        line.append(byte)
        continue
      }
      if let event = endLine() { found.append(event) }
    }
    return found
  }

  /// Interprets the complete line, and returns an event if the line is empty.
  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    guard let first = line.first else {
      defer { (event, hasData) = (Event(id: event.id), false) }
      return hasData ? event : nil
    }
    // Servers send comments to keep a connection.
    guard first != UInt8(ascii: ":") else { return nil }
    let parts = line.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count > 1 ? parts[1] : []
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: parts[0], as: UTF8.self) {
    case "data":
      event.data += (hasData ? "\n" : "") + text
      hasData = true
    case "event": event.type = text
    // An identifier with a NUL is ignored.
    case "id" where !value.contains(0): event.id = text
    default: break
    }
    return nil
  }
}
