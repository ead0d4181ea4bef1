/// A value of a statement.
enum SQLValue {
  case text(String)
  case int(Int64)
  case bytes([UInt8])
  case null
  /// An array of texts.
  case list([String])

  init(_ text: String?) { self = text.map { .text($0) } ?? .null }

  /// The value in libpq's text format; nil for NULL and bytes.
  var literal: String? {
    switch self {
    case .text(let text): text
    case .int(let number): String(number)
    case .bytes, .null: nil
    case .list(let texts):
      "{" + texts.map(Self.element).joined(separator: ",") + "}"
    }
  }

  /// Returns an element of an array's literal.
  private static func element(_ text: String) -> String {
    var element = "\"".unicodeScalars
    // A quotation mark with an accent is one Character, but still ends the element.
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { element.append("\\") }
      element.append(scalar)
    }
    return String(element) + "\""
  }
}
