/// Books that were fetched once and are filtered while somebody types.
///
/// A book matches when each word that was typed is the beginning of a word of its title or author,
/// whatever their case and accents. Words are runs of letters and digits.
public struct BookFilter: Sendable {
  /// All books, in their order.
  public let rows: [BookRow]
  /// The words of all rows, folded, each behind a space.
  private let keys: [UInt8]
  /// Where the words of each row end in `keys`.
  private let ends: [Int]
  /// The latest query and what it found: the next one mostly goes on from it.
  private var latest: (words: [[UInt8]], matches: [Int])?

  /// Takes books in the order in which matches are to come.
  ///
  /// - Complexity: O(*n*); about as many bytes as titles and authors have.
  public init(_ rows: [BookRow]) {
    self.rows = rows
    var keys: [UInt8] = []
    var ends: [Int] = []
    ends.reserveCapacity(rows.count)
    for row in rows {
      for text in [row.title, row.author] {
        SearchWords.forEach(in: text) { word in
          keys.append(UInt8(ascii: " "))
          keys.append(contentsOf: word)
        }
      }
      ends.append(keys.count)
    }
    self.keys = keys
    self.ends = ends
  }

  /// Returns the first books that match what was typed; all match an empty text.
  ///
  /// - Complexity: O(bytes of all words); O(matches of the text before) when the text goes on from it.
  public mutating func rows(matching text: String, limit: Int = .max) -> [BookRow] {
    precondition(limit >= 0, "a limit is 0 or more")
    let words = SearchWords.words(of: text)
    if words.isEmpty {
      latest = nil
      return Array(rows.prefix(limit))
    }
    let patterns = words.map { [UInt8(ascii: " ")] + $0 }
    let matches =
      if let latest, Self.goesOn(words, from: latest.words) {
        latest.matches.filter { isMatch($0, patterns) }
      } else {
        rows.indices.filter { isMatch($0, patterns) }
      }
    latest = (words, matches)
    return matches.prefix(limit).map { rows[$0] }
  }

  /// Whether whatever matches a text must have matched the one before.
  private static func goesOn(_ words: [[UInt8]], from before: [[UInt8]]) -> Bool {
    words.count >= before.count && zip(words, before).allSatisfy { $0.starts(with: $1) }
  }

  private func isMatch(_ row: Int, _ patterns: [[UInt8]]) -> Bool {
    let range = (row == 0 ? 0 : ends[row - 1])..<ends[row]
    return patterns.allSatisfy { contains($0, in: range) }
  }

  private func contains(_ pattern: [UInt8], in range: Range<Int>) -> Bool {
    var start = range.lowerBound
    let end = range.upperBound - pattern.count
    while start <= end {
      var length = 0
      while length < pattern.count, keys[start + length] == pattern[length] { length += 1 }
      if length == pattern.count { return true }
      start += 1
    }
    return false
  }
}
