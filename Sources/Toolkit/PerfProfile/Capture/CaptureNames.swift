/// A copy of the segment's area for names, made once at the end.
///
/// The id of an entry is its position. A walk over all entries would stop at an entry that a
/// dying process left unfinished.
struct CaptureNames: Sendable {
  /// The largest length of a name in bytes; longer entries are invalid.
  private static let longest = 4096

  private let area: [UInt8]
  private var known: [UInt32: String] = [:]

  /// Copies the used part of an area for names.
  init(_ area: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
    self.area = Array(area)
  }

  /// Returns the text of an id; nil for 0 and for an unknown id.
  mutating func text(_ id: UInt32) -> String? {
    if let text = known[id] { return text }
    guard id > 0 else { return nil }
    let start = (Int(id) - 1) * 8
    guard start + 4 < area.count else { return nil }
    let bytes = area.withUnsafeBytes { Int($0.load(fromByteOffset: start, as: UInt32.self)) }
    guard (1...Self.longest).contains(bytes), start + 4 + bytes <= area.count else { return nil }
    let text = String(decoding: area[(start + 4)..<(start + 4 + bytes)], as: UTF8.self)
    known[id] = text
    return text
  }
}
