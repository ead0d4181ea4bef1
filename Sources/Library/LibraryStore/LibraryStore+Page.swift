internal import GRDB

extension LibraryStore {
  /// Returns books for display, ordered by title and author (by code point), then by age.
  ///
  /// With `coveringIndex` one statement reads the whole page from indexes. Otherwise the works are
  /// read first, and then the editions and the notes of each of them, as a view would that asks its
  /// model object for them.
  ///
  /// - Parameters:
  ///   - offset: How many books come before the page, 0 or more.
  ///   - limit: How many books it has at most, 0 or more.
  /// - Returns: Fewer than `limit` books at the end of the library.
  /// - Throws: `LibraryError` when SQLite fails.
  /// - Complexity: The books before the page are counted off one by one; `page(after:limit:)` does
  ///   not meet them.
  public func page(offset: Int, limit: Int) throws(LibraryError) -> [BookRow] {
    precondition(offset >= 0 && limit >= 0, "a page begins at 0 or later and has 0 or more books")
    return try read { try page(.offset(offset), limit: limit, in: $0) }
  }

  /// Returns the books that come behind one, in the same order.
  ///
  /// - Parameters:
  ///   - row: The last book of the page before; it need not be in the library any more.
  ///   - limit: How many books the page has at most, 0 or more.
  /// - Returns: Fewer than `limit` books at the end of the library.
  /// - Throws: `LibraryError` when SQLite fails.
  /// - Complexity: O(log *n* + limit) with the schema `indexed`, wherever the page is.
  public func page(after row: BookRow, limit: Int) throws(LibraryError) -> [BookRow] {
    precondition(limit >= 0, "a page has 0 or more books")
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
