internal import GRDB

/// A search in a library that answers at each keystroke.
///
/// A book matches when each typed word is a prefix of a word of its title or author, whatever the
/// case and accents. All strategies give the same answers, except that `inMemory` uses the books as
/// they were when the search began.
public struct LibrarySearch: Sendable {
  private let library: LibraryStore
  /// All books, with `inMemory`.
  private var filter: BookFilter?

  init(_ library: LibraryStore) throws(LibraryError) {
    self.library = library
    if library.configuration.search == .inMemory {
      filter = BookFilter(try library.page(offset: 0, limit: .max))
    }
  }

  /// Returns the first matching books in the order of a page; a text without words matches all.
  ///
  /// - Precondition: The limit is 0 or more.
  /// - Complexity: `refetch` reads the library, `inMemory` all its words at the first letter and
  ///   the remaining matches after that, `fullText` only the matches.
  public mutating func results(
    for text: String, limit: Int = 50
  ) throws(LibraryError) -> [BookRow] {
    precondition(limit >= 0, "the limit must be 0 or more")
    switch library.configuration.search {
    case .refetch:
      var all = BookFilter(try library.page(offset: 0, limit: .max))
      return all.rows(matching: text, limit: limit)
    case .inMemory:
      return filter?.rows(matching: text, limit: limit) ?? []
    case .fullText:
      return try library.fullTextPage(matching: text, limit: limit)
    }
  }
}

extension LibraryStore {
  /// Begins a search with the configured strategy; `inMemory` reads the library.
  public func beginSearch() throws(LibraryError) -> LibrarySearch { try LibrarySearch(self) }

  func fullTextPage(matching text: String, limit: Int) throws(LibraryError) -> [BookRow] {
    let words = SearchWords.words(of: text)
    guard !words.isEmpty else { return try page(offset: 0, limit: limit) }
    // Words contain neither quotes nor operators.
    let query = words.map { "\"\(String(decoding: $0, as: UTF8.self))\"*" }
      .joined(separator: " ")
    return try page(.matching(query), limit: limit)
  }
}
