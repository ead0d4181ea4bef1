/// The names area of a segment, copied once at the end.
///
/// An entry is looked up by its id alone, which is its place: going through the entries one by one
/// would end at the first that was being written when its process died.
struct CaptureNames: Sendable {
  /// A name is a word or two; what is longer is no name.
  private static let longest = 4096

  private let area: [UInt8]
  private var known: [UInt32: String] = [:]

  /// Copies the used part of a names area.
  init(_ area: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
    self.area = Array(area)
  }

  /// Returns the text of an id; nil for 0 and for an id that nobody gave.
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
