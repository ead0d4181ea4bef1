/// The title and author of a book, by which the exports of different programs can be matched.
///
/// Case, accents, punctuation and the order of an author's names do not count, and only the first
/// author does, because programs list different numbers of them.
struct BookName {
  /// A text that is equal for equal books.
  let key: String

  init(title: String, author: String) {
    var key: [UInt8] = []
    Self.append(Self.words(of: title), to: &key)
    // "C", "C++" and "C#" differ.
    key += title.utf8.filter { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }
    // No word contains the unit separator.
    key.append(0x1F)
    let words = Self.words(of: String(author.prefix { !",;&".contains($0) }))
    Self.append(words.sorted { $0.lexicographicallyPrecedes($1) }, to: &key)
    self.key = String(decoding: key, as: UTF8.self)
  }

  /// Returns the words of a text; a text without letters and digits is one word.
  private static func words(of text: String) -> [[UInt8]] {
    let words = SearchWords.words(of: text)
    return words.isEmpty ? [Array(text.utf8)] : words
  }

  private static func append(_ words: [[UInt8]], to key: inout [UInt8]) {
    for word in words {
      key += word
      key.append(UInt8(ascii: " "))
    }
  }
}
