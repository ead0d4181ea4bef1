internal import Foundation

/// Splits texts into search words: runs of letters and digits, in lower case, without accents.
///
/// It matches SQLite's tokenizer `unicode61 remove_diacritics 2`, which removes accents only from
/// Latin letters.
enum SearchWords {
  /// Returns the folded words of a text in UTF-8.
  static func words(of text: String) -> [[UInt8]] {
    var words: [[UInt8]] = []
    forEach(in: text) { words.append($0) }
    return words
  }

  /// Calls a closure with each folded word of a text in UTF-8.
  static func forEach(in text: String, _ body: ([UInt8]) -> Void) {
    var word: [UInt8] = []
    func end() {
      if !word.isEmpty { body(word) }
      word.removeAll(keepingCapacity: true)
    }
    guard text.utf8.contains(where: { $0 >= 0x80 }) else {
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          word.append(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
          word.append(byte | 0x20)
        default: end()
        }
      }
      return end()
    }
    for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars
    where !accents.contains(scalar) {
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber, .privateUse:
        let letter = base(of: scalar) ?? scalar
        word.append(contentsOf: letter.properties.lowercaseMapping.utf8)
      default: end()
      }
    }
    end()
  }

  /// Combining accents that have no precomposed form with their letter.
  private static let accents: ClosedRange<Unicode.Scalar> = "\u{300}"..."\u{331}"

  /// Returns the base letter of an accented Latin letter, in its case.
  private static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0xC0...0x24F, 0x1E00...0x1EFF:
      String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.first
    default: nil
    }
  }
}
