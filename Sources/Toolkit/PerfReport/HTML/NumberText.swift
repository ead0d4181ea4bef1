/// Unsigned numbers as printable text, which a page's script reads as one long string.
///
/// A number is written in groups of five bits, least significant first, each as one of 64 characters.
/// The sixth bit of a character means that another group follows, as in source maps (base 64 VLQ).
struct NumberText {
  private(set) var bytes: [UInt8] = []

  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 32 {
      bytes.append(Self.digits[Int(rest & 31) | 32])
      rest >>= 5
    }
    bytes.append(Self.digits[Int(rest)])
  }

  /// Appends numbers in order; negative ones count as 0.
  mutating func append(_ numbers: Int...) {
    for number in numbers { append(UInt64(clamping: number)) }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
