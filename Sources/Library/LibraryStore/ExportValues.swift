extension ISBN13 {
  /// Reads the number of an export: thirteen or ten digits, in the decorations of programs, or nine
  /// digits, to which the leading zero belongs.
  init?(exported text: String) {
    var digits = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case " ", "=", "\"", "'", "[", "]", "-", "\u{2010}", "\u{2011}", "\u{2013}": break
      default: digits.unicodeScalars.append(scalar)
      }
    }
    // Spreadsheets turn numbers into 9780306406157.0.
    if digits.hasSuffix(".0") { digits.removeLast(2) }
    guard let isbn = Self(digits) ?? Self(isbn10: digits.count == 9 ? "0\(digits)" : digits) else {
      return nil
    }
    self = isbn
  }
}

extension BookFormat {
  /// Creates the format of a binding in an export.
  init(binding: String) {
    switch binding.lowercased() {
    case "hardcover", "library binding", "leather bound": self = .hardcover
    case "paperback", "mass market paperback", "trade paperback": self = .paperback
    case "kindle edition", "ebook", "nook", "digital": self = .ebook
    case "audiobook", "audio cd", "audible audio", "audio cassette", "audio": self = .audiobook
    default: self = .other
    }
  }
}
