internal import GRDB

extension LibraryStore {
  /// Returns books for display, ordered by title and author (by code point), then by age.
  ///
  /// With `coveringIndex` one statement reads the whole page from indexes. Otherwise the works are
  /// read first, then the editions and user entry of each, like a view that queries its model
  /// objects.
  ///
  /// - Parameters:
  ///   - offset: The number of books before the page, 0 or more.
  ///   - limit: The largest number of books on the page, 0 or more.
  /// - Returns: Fewer than `limit` books at the end of the library.
  /// - Throws: `LibraryError` when SQLite fails.
  /// - Complexity: SQLite skips the books before the page one by one; `page(after:limit:)` does
  ///   not.
  public func page(offset: Int, limit: Int) throws(LibraryError) -> [BookRow] {
    precondition(offset >= 0 && limit >= 0, "the offset and the limit must be 0 or more")
    return try read { try page(.offset(offset), limit: limit, in: $0) }
  }

  /// Returns the books that follow a book, in the same order.
  ///
  /// - Parameters:
  ///   - row: The last book of the previous page, which may have been deleted since.
  ///   - limit: The largest number of books on the page, 0 or more.
  /// - Returns: Fewer than `limit` books at the end of the library.
  /// - Throws: `LibraryError` when SQLite fails.
  /// - Complexity: O(log *n* + limit) with the schema `indexed`, independent of the page's
  ///   position.
  public func page(after row: BookRow, limit: Int) throws(LibraryError) -> [BookRow] {
    precondition(limit >= 0, "the limit must be 0 or more")
    return try read { try page(.after(row), limit: limit, in: $0) }
  }

  // MARK: - Within a transaction

  func page(_ start: PageStart, limit: Int, in database: Database) throws -> [BookRow] {
    switch configuration.bestEdition {
    case .coveringIndex where !configuration.userEntry.isCached:
      try Self.joinedPage(start, limit: limit, in: database)
    case .coveringIndex, .recomputed, .storedScore:
      try composedPage(start, limit: limit, in: database)
    }
  }

  private static func joinedPage(
    _ start: PageStart, limit: Int, in database: Database
  ) throws -> [BookRow] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT work.id, title, author, confidence, status, ifnull(rating, 0),
          (SELECT cover FROM edition WHERE edition.workID = work.id
            ORDER BY qualityScore DESC, edition.id LIMIT 1)
        FROM (SELECT work.id FROM work \(start.clauses)) AS page
        JOIN work ON work.id = page.id
        LEFT JOIN userEntry ON userEntry.workID = work.id
        ORDER BY title, author, work.id
        """)
    let rows = try Row.fetchCursor(statement, arguments: start.arguments(limit: limit))
    var page: [BookRow] = []
    while let row = try rows.next() {
      let status: String? = row[4]
      page.append(
        BookRow(
          workID: row[0], title: row[1], author: row[2], confidence: row[3], cover: row[6],
          status: status.flatMap(ReadingStatus.init), rating: row[5]))
    }
    return page
  }

  private func composedPage(
    _ start: PageStart, limit: Int, in database: Database
  ) throws -> [BookRow] {
    let statement = try database.cachedStatement(
      sql: "SELECT \(WorkRow.columns) FROM work \(start.clauses)")
    let works = try Row.fetchAll(statement, arguments: start.arguments(limit: limit))
      .map(WorkRow.init)
    return try works.map { work in
      let entry = try userEntry(ofWork: work.id, in: database)
      return BookRow(
        workID: work.id, title: work.title, author: work.author, confidence: work.confidence,
        cover: try bestEdition(ofWork: work.id, in: database)?.details.cover,
        status: entry?.details.status, rating: entry?.details.rating ?? 0)
    }
  }
}
