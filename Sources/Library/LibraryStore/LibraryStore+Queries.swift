internal import GRDB

extension LibraryStore {
  /// Returns the number of works in the library.
  ///
  /// - Throws: `LibraryError` when SQLite fails, like every call here.
  public func count() throws(LibraryError) -> Int {
    try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM work") ?? 0 }
  }

  /// Returns whether the library is empty, by the configured existence check.
  ///
  /// - Complexity: O(1) with `limitOne`, O(*n*) time and memory with `fetchAll`.
  public func isEmpty() throws(LibraryError) -> Bool {
    try read { database in
      switch configuration.existenceCheck {
      case .fetchAll:
        let works = try Row.fetchAll(database, sql: "SELECT \(WorkRow.columns) FROM work")
        return works.map(WorkRow.init).isEmpty
      case .limitOne:
        return try Row.fetchOne(database, sql: "SELECT 1 FROM work LIMIT 1") == nil
      }
    }
  }

  /// Returns all editions of a work in the order of their addition.
  ///
  /// - Complexity: O(log *n*) with the schema `indexed`, else O(*n*).
  public func editions(ofWork workID: Int64) throws(LibraryError) -> [Edition] {
    try readOnce { try Self.editions(ofWork: workID, in: $0) }
  }

  /// Returns the edition of a work with the highest quality score, the oldest row among equals.
  ///
  /// - Returns: nil when the work has no edition.
  /// - Complexity: O(log *n*) with `coveringIndex`, else that of `editions(ofWork:)`.
  public func bestEdition(ofWork workID: Int64) throws(LibraryError) -> Edition? {
    try timing(.primaryEdition, ofWork: workID) { () throws(LibraryError) in
      try readOnce { try bestEdition(ofWork: workID, in: $0) }
    }
  }

  // MARK: - Within a transaction

  static func editions(ofWork workID: Int64, in database: Database) throws -> [Edition] {
    let statement = try database.cachedStatement(
      sql: "SELECT \(Edition.columns) FROM edition WHERE workID = ? ORDER BY id")
    return try Row.fetchAll(statement, arguments: [workID]).map(Edition.init)
  }

  func bestEdition(ofWork workID: Int64, in database: Database) throws -> Edition? {
    switch configuration.bestEdition {
    case .recomputed:
      let editions = try Self.editions(ofWork: workID, in: database)
      // `max` returns the first of equal elements, like the index.
      return editions.map { (edition: $0, score: $0.details.qualityScore) }
        .max { $0.score < $1.score }?.edition
    case .storedScore:
      let statement = try database.cachedStatement(
        sql: "SELECT \(Edition.columns), qualityScore FROM edition WHERE workID = ? ORDER BY id")
      return try Row.fetchAll(statement, arguments: [workID])
        .map { (edition: Edition($0), score: $0[7] as Int) }
        .max { $0.score < $1.score }?.edition
    case .coveringIndex:
      return try database.first(
        sql: """
          SELECT \(Edition.columns) FROM edition
          WHERE workID = ? ORDER BY qualityScore DESC, id LIMIT 1
          """, workID, Edition.init)
    }
  }
}

// MARK: - Pages

extension LibraryStore {
  /// Returns books for display, ordered by title and author (by code point), then by age.
  ///
  /// With `coveringIndex` one statement reads the whole page from indexes. Otherwise the works are
  /// read first, then the editions and user entry of each, like a view that queries its model
  /// objects.
  ///
  /// - Precondition: The offset and the limit are 0 or more.
  /// - Complexity: SQLite skips the books before the page one by one; `page(after:limit:)` does
  ///   not.
  public func page(offset: Int, limit: Int) throws(LibraryError) -> [BookRow] {
    precondition(offset >= 0 && limit >= 0, "the offset and the limit must be 0 or more")
    return try page(.offset(offset), limit: limit)
  }

  /// Returns the books that follow a book, which may have been deleted since, in the same order.
  ///
  /// - Complexity: O(log *n* + limit) with the schema `indexed`, independent of the page's
  ///   position.
  public func page(after row: BookRow, limit: Int) throws(LibraryError) -> [BookRow] {
    precondition(limit >= 0, "the limit must be 0 or more")
    return try page(.after(row), limit: limit)
  }

  func page(_ start: PageStart, limit: Int) throws(LibraryError) -> [BookRow] {
    let generation = entryCache.generation
    return try read { try page(start, limit: limit, since: generation, in: $0) }
  }

  /// Returns a page within a transaction; `generation` is that of the cached user entries before it.
  func page(
    _ start: PageStart, limit: Int, since generation: Int, in database: Database
  ) throws -> [BookRow] {
    switch configuration.bestEdition {
    case .coveringIndex where !configuration.userEntry.isCached:
      try Self.joinedPage(start, limit: limit, in: database)
    case .coveringIndex, .recomputed, .storedScore:
      try composedPage(start, limit: limit, since: generation, in: database)
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
          status: status.map(ReadingStatus.init(rawValue:)), rating: row[5]))
    }
    return page
  }

  private func composedPage(
    _ start: PageStart, limit: Int, since generation: Int, in database: Database
  ) throws -> [BookRow] {
    let statement = try database.cachedStatement(
      sql: "SELECT \(WorkRow.columns) FROM work \(start.clauses)")
    let works = try Row.fetchAll(statement, arguments: start.arguments(limit: limit))
      .map(WorkRow.init)
    return try works.map { work in
      let entry = try userEntry(ofWork: work.id, since: generation, in: database)
      return BookRow(
        workID: work.id, title: work.title, author: work.author, confidence: work.confidence,
        cover: try bestEdition(ofWork: work.id, in: database)?.details.cover,
        status: entry?.details.status, rating: entry?.details.rating ?? 0)
    }
  }
}
