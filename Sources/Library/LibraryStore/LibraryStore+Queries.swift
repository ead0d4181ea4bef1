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
