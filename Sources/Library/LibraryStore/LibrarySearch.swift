internal import GRDB

/// A search field over a library: what somebody types, answered at each keystroke.
///
/// A book matches when each word that was typed is the beginning of a word of its title or author,
/// whatever their case and accents. All strategies answer alike, but `inMemory` with the books as they
/// were when the search began.
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

  /// Returns the first books that match, ordered as a page is; all match a text without words.
  ///
  /// - Parameters:
  ///   - text: What is in the field.
  ///   - limit: How many books are returned at most, 0 or more.
  /// - Returns: No more than `limit` books.
  /// - Throws: `LibraryError` when SQLite fails.
  /// - Complexity: `refetch` reads the library, `inMemory` all its words at the first letter and what
  ///   is left at the next ones, `fullText` what matches.
  public mutating func results(
    for text: String, limit: Int = 50
  ) throws(LibraryError) -> [BookRow] {
    precondition(limit >= 0, "a limit is 0 or more")
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
  /// Begins a search in the way that the configuration says.
  ///
  /// - Throws: `LibraryError` when SQLite fails.
  /// - Complexity: `inMemory` reads the library.
  public func beginSearch() throws(LibraryError) -> LibrarySearch { try LibrarySearch(self) }

  func fullTextPage(matching text: String, limit: Int) throws(LibraryError) -> [BookRow] {
    let words = SearchWords.words(of: text)
    guard !words.isEmpty else { return try page(offset: 0, limit: limit) }
    // Words have neither quotes nor operators in them.
    let query = words.map { "\"\(String(decoding: $0, as: UTF8.self))\"*" }
      .joined(separator: " ")
    return try read { database in
      try page(.matching(query), limit: limit, in: database)
    }
  }
}
