/// Decodes the fields of a CSV file.
///
/// A field that is not UTF-8 is read as Windows-1252, unless the file declares Unicode or an earlier
/// field is UTF-8 beyond ASCII.
struct FieldDecoder {
  private var isUnicode: Bool
  /// Whether a field was read as Windows-1252 since the caller has set this to false.
  var hasUsedWindows1252 = false

  /// Creates a decoder for a file that declares Unicode or not.
  init(isUnicode: Bool) { self.isUnicode = isUnicode }

  /// Returns the text of a field; nil if it has another encoding.
  mutating func text(of field: [UInt8]) -> String? {
    if let text = String(validating: field, as: UTF8.self) {
      if !isUnicode { isUnicode = field.contains { $0 >= 0x80 } }
      return text
    }
    guard !isUnicode, let text = Windows1252.text(of: field) else { return nil }
    hasUsedWindows1252 = true
    return text
  }
}

/// The characters of Windows-1252, which includes those of Latin-1.
///
/// Source: Unicode Consortium, "cp1252 to Unicode table".
enum Windows1252 {
  /// The characters of the bytes 0x80 to 0x9F; zero where the encoding has none.
  private static let special: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]

  /// Returns the text of the bytes; nil if one of them has no character.
  static func text(of bytes: [UInt8]) -> String? {
    var text = ""
    for byte in bytes {
      let code = (0x80...0x9F).contains(byte) ? special[Int(byte) - 0x80] : UInt16(byte)
      guard code != 0, let scalar = Unicode.Scalar(code) else { return nil }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
