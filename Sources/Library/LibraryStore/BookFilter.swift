/// A list of books in memory that is filtered while the user types.
///
/// A book matches when each typed word is a prefix of a word of its title or author, whatever the
/// case and accents. Words are runs of letters and digits.
struct BookFilter: Sendable {
  let rows: [BookRow]
  /// The folded words of all rows, each after a space.
  private let keys: [UInt8]
  /// The end of each row's words in `keys`.
  private let ends: [Int]
  /// The latest query and its matches, which the next query usually narrows.
  private var latest: (words: [[UInt8]], matches: [Int])?

  /// Creates a filter; matches keep the order of the books.
  ///
  /// - Complexity: O(*n*) time, and about as many bytes as the titles and authors have.
  init(_ rows: [BookRow]) {
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

  /// Returns the first books that match a text; every book matches an empty text.
  ///
  /// - Complexity: O(bytes of all words), or O(previous matches) when the text extends the previous
  ///   one.
  mutating func rows(matching text: String, limit: Int) -> [BookRow] {
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

  /// Returns whether every match of a text also matches the previous text.
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
