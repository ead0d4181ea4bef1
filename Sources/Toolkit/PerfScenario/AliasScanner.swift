/// Keeps files that could be YAML bombs from the composer.
///
/// A few hundred bytes of aliases of aliases stand for billions of nodes, and the composer hashes
/// keys with all that is in them. What *may* be an alias is counted without regard to quotes and
/// comments, so nothing is missed; with at most `limit` of them the nodes stay below 3^(limit / 3).
/// Real aliases are then refused by their anchors, in `YAMLNode`.
enum AliasScanner {
  /// The most words that may look like an alias: 32 of them make at most 123,000 nodes.
  static let limit = 32

  /// Returns line and column, from 1, of the word that is one too many, or nil.
  static func excess(in text: String) -> (line: Int, column: Int)? {
    var (line, column) = (1, 0)
    var count = 0
    var isStar = false
    for scalar in text.unicodeScalars {
      if isStar, isNameCharacter(scalar) {
        count += 1
        if count > limit { return (line, column) }
      }
      column += 1
      isStar = scalar == "*"
      if scalar == "\n" { (line, column) = (line + 1, 0) }
    }
    return nil
  }

  /// Whether an anchor's name may have a character, by YAML 1.1 and by 1.2 (anything that is no
  /// blank and no bracket).
  private static func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
    !" \t\r\n,[]{}".unicodeScalars.contains(scalar)
  }
}
