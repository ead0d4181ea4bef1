/// A valid International Standard Book Number of thirteen digits.
///
/// Source: ISO 2108:2017; the check digit makes the sum of the digits, weighted 1, 3, 1, 3, ..., a
/// multiple of ten.
public struct ISBN13: Hashable, Sendable, CustomStringConvertible {
  /// The thirteen digits as one number, 9780000000002 to 9799999999999.
  public let number: Int64

  /// Creates the number with the first twelve digits 978000000000 to 979999999999, else nil.
  public init?(firstTwelve: Int64) {
    guard (978_000_000_000...979_999_999_999).contains(firstTwelve) else { return nil }
    number = firstTwelve * 10 + Self.checkDigit(of: firstTwelve)
  }

  /// Reads thirteen digits, with or without hyphens and spaces; an invalid number gives nil.
  public init?(_ text: some StringProtocol) {
    var number: Int64 = 0
    var digits = 0
    for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), digits < 13 else { return nil }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
      digits += 1
    }
    self.init(number: number)
  }

  /// Converts the ten digits of an older ISBN, with or without hyphens and spaces; nil if it is
  /// invalid.
  ///
  /// The tenth digit, 0 to 9 or X for ten, makes the sum of the digits, weighted 10, 9, ..., 1, a
  /// multiple of eleven. The new number has the prefix 978 and another check digit. Source: ISO
  /// 2108:1992, which ISO 2108:2005 replaced by thirteen digits.
  public init?(isbn10 text: some StringProtocol) {
    var sum: Int64 = 0
    var number: Int64 = 0
    var digits = 0
    for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
      let digit: Int64
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "X"), UInt8(ascii: "x"): digit = 10
      default: return nil
      }
      guard digits < 10, digit < 10 || digits == 9 else { return nil }
      sum += digit * Int64(10 - digits)
      if digits < 9 { number = number * 10 + digit }
      digits += 1
    }
    guard digits == 10, sum.isMultiple(of: 11) else { return nil }
    self.init(firstTwelve: 978_000_000_000 + number)
  }

  /// Creates the ISBN of a number of thirteen digits; nil if it is invalid.
  init?(number: Int64) {
    guard let valid = Self(firstTwelve: number / 10), valid.number == number else { return nil }
    self = valid
  }

  /// The thirteen digits without hyphens.
  public var description: String { String(number) }

  static func checkDigit(of firstTwelve: Int64) -> Int64 {
    var rest = firstTwelve
    var sum: Int64 = 0
    // From the right, the twelfth digit has weight 3, the eleventh 1, and so on.
    for position in 0..<12 {
      sum += (rest % 10) * (position.isMultiple(of: 2) ? 3 : 1)
      rest /= 10
    }
    return (10 - sum % 10) % 10
  }
}
