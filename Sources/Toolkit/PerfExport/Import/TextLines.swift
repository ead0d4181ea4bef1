internal import PerfModel

/// The lines of a text, without their ends, with their numbers from 1.
struct TextLines: Sequence, IteratorProtocol {
  private let text: [UInt8]
  private var place = 0
  private var number = 0

  init(_ text: [UInt8]) {
    self.text = text
  }

  mutating func next() -> (number: Int, bytes: ArraySlice<UInt8>)? {
    guard place < text.count else { return nil }
    let end = text[place...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
    var line = text[place..<end]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    place = end + 1
    number += 1
    return (number, line)
  }

  /// A warning if a text does not end with its last line; nil if it does.
  static func truncation(of text: [UInt8]) -> RunWarning? {
    guard let last = text.last, last != UInt8(ascii: "\n") else { return nil }
    return RunWarning(
      code: "import.truncated", message: "the imported file does not end with a line break",
      remedy: "It may be truncated.")
  }
}

extension ArraySlice<UInt8> {
  /// The bytes as text; bytes that are no UTF-8 become U+FFFD.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// The number that the bytes consist of; nil for anything but digits, or a number of more than 64 bits.
  var number: UInt64? { isNumber ? UInt64(text) : nil }

  /// Whether the bytes are digits only.
  var isNumber: Bool { !isEmpty && allSatisfy { (0x30...0x39).contains($0) } }

  /// Returns the bytes without spaces and tabulators at both ends.
  var trimmed: ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }
}
