/// Writes JSON incrementally, so that a long time line never exists as a tree of values.
///
/// Members keep the order in which they are written. Numbers that are not finite become null.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  // MARK: - Containers

  mutating func object(_ body: (inout JSONWriter) -> Void) {
    container(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  mutating func array(_ body: (inout JSONWriter) -> Void) {
    container(UInt8(ascii: "["), UInt8(ascii: "]"), body)
  }

  /// Writes an array with one element per element of a sequence.
  mutating func array<Elements: Sequence>(
    of elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
  ) {
    array { json in
      for element in elements { write(&json, element) }
    }
  }

  private mutating func container(
    _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void
  ) {
    separate()
    bytes.append(open)
    needsComma = false
    body(&self)
    bytes.append(close)
    needsComma = true
  }

  // MARK: - Members

  /// Writes the name of a member; the caller writes its value next.
  mutating func key(_ name: String) {
    separate()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func member(_ name: String, _ value: String) {
    key(name)
    string(value)
  }

  mutating func member(_ name: String, _ value: Int) {
    key(name)
    int(value)
  }

  mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  mutating func member(_ name: String, _ value: Double) {
    key(name)
    number(value)
  }

  mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
    key(name)
    object(body)
  }

  mutating func member<Elements: Sequence>(
    _ name: String, arrayOf elements: Elements,
    _ write: (inout JSONWriter, Elements.Element) -> Void
  ) {
    key(name)
    array(of: elements, write)
  }

  // MARK: - Values

  mutating func string(_ value: String) {
    separate()
    quote(value)
    needsComma = true
  }

  mutating func int(_ value: Int) { literal(String(value)) }

  mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

  mutating func null() { literal("null") }

  mutating func number(_ value: Double) {
    guard value.isFinite else { return null() }
    literal(Int64(exactly: value).map(String.init) ?? "\(value)")
  }

  /// Writes a fixed-point number exactly and without trailing zeros.
  ///
  /// It converts e.g. nanoseconds to microseconds (3 digits) or milliseconds (6 digits).
  ///
  /// - Parameters:
  ///   - value: The number in the small unit.
  ///   - digits: The number of decimal digits after the point.
  mutating func fixed(_ value: UInt64, digits: Int) {
    let text = String(value)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    let whole = padded.dropLast(digits)
    var fraction = padded.suffix(digits)
    while fraction.last == "0" { fraction.removeLast() }
    literal(fraction.isEmpty ? String(whole) : "\(whole).\(fraction)")
  }

  private mutating func literal(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes.append(contentsOf: ("\\u00" + (byte < 16 ? "0" : "") + digits).utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
