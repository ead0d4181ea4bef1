extension Regex<AnyRegexOutput> {
  /// The most opening brackets of a pattern.
  ///
  /// Swift's parser calls itself for each character class within another one, and 200 of them exceed a
  /// stack of 512 KiB.
  private static var mostBrackets: Int { 50 }

  /// Creates the regular expression of a user's pattern.
  ///
  /// - Throws: An error whose description is the reason.
  package init(ofUser pattern: String) throws {
    guard pattern.unicodeScalars.count(where: { $0 == "[" }) <= Self.mostBrackets else {
      throw PatternError(description: "it has more than \(Self.mostBrackets) brackets '['")
    }
    self = try Regex(pattern)
  }
}

/// A reason why a pattern is refused before it is parsed.
private struct PatternError: Error, CustomStringConvertible {
  let description: String
}
