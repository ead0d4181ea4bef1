/// Refuses files that could be YAML bombs before they are composed.
///
/// A few hundred bytes of nested aliases expand to billions of nodes, and the composer hashes keys
/// with their content. The scanner counts possible aliases without regard to quotes and comments,
/// so it misses none; with at most `limit` of them there are fewer than 3^(limit / 3) nodes.
/// `YAMLNode` then refuses real aliases by their anchors.
enum AliasScanner {
  /// The limit of words that look like an alias: 32 of them expand to at most 123,000 nodes.
  static let limit = 32

  /// Returns the line and column, from 1, of the first word above the limit, or nil.
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

  /// Returns whether an anchor's name may contain a character by YAML 1.1 or 1.2: any except blanks
  /// and brackets.
  private static func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
    !" \t\r\n,[]{}".unicodeScalars.contains(scalar)
  }
}
