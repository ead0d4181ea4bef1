internal import GRDB

extension LibraryStore {
  /// Returns the user entry of a work; the first, if an older schema has several.
  ///
  /// - Complexity: O(log *n*) with `indexed`, O(1) for a cached answer, else O(*n*).
  public func userEntry(ofWork workID: Int64) throws(LibraryError) -> UserEntry? {
    try timing(.userEntry, ofWork: workID) { () throws(LibraryError) in
      try entryCache.entry(ofWork: workID, isUsed: configuration.userEntry.isCached) {
        () throws(LibraryError) in try readOnce { try storedEntry(ofWork: workID, in: $0) }
      }
    }
  }

  /// Replaces, adds or (with nil) removes the user entry of a work; returns whether the work exists.
  ///
  /// - Throws: `readOnly`, `locked` or `diskFull`.
  @discardableResult
  public func setUserEntry(
    _ details: UserEntryDetails?, ofWork workID: Int64
  ) throws(LibraryError) -> Bool {
    if let details { try checkText(details) }
    let isThere = try write { database in
      let found = try database.cachedStatement(sql: "SELECT 1 FROM work WHERE id = ?")
      guard try Row.fetchOne(found, arguments: [workID]) != nil else { return false }
      if let details {
        try set(details, ofWork: workID, in: database)
      } else {
        try database.cachedStatement(sql: "DELETE FROM userEntry WHERE workID = ?")
          .execute(arguments: [workID])
      }
      return true
    }
    if configuration.userEntry == .cached { entryCache.invalidate(workID) }
    return isThere
  }

  /// Adds several user entries to a work, like a library of several readers.
  ///
  /// - Throws: `database` with the schema `indexed`, which allows one entry per work; `readOnly`,
  ///   `locked` or `diskFull`.
  public func addUserEntries(
    _ entries: [UserEntryDetails], ofWork workID: Int64
  ) throws(LibraryError) {
    for entry in entries { try checkText(entry) }
    try write { database in
      for entry in entries { try insert(entry, ofWork: workID, in: database) }
    }
    if configuration.userEntry == .cached { entryCache.invalidate(workID) }
  }

  // MARK: - The cache

  /// Drops the answer for a work, if one is cached, after its user entry has changed.
  public func invalidateUserEntry(ofWork workID: Int64) { entryCache.invalidate(workID) }

  /// Returns the cached entries that differ from the database, by work, without changing the cache.
  ///
  /// Each results from a change without a call of `invalidateUserEntry(ofWork:)`, or by another
  /// process.
  ///
  /// - Throws: `LibraryError` when SQLite fails.
  /// - Complexity: One look-up per cached work.
  public func staleUserEntries() throws(LibraryError) -> [StaleUserEntry] {
    let answers = entryCache.answers.sorted { $0.key < $1.key }
    return try read { database in
      try answers.compactMap { workID, cached in
        let stored = try storedEntry(ofWork: workID, in: database)
        return stored == cached
          ? nil : StaleUserEntry(workID: workID, cached: cached, stored: stored)
      }
    }
  }

  // MARK: - Within a transaction

  /// Returns the user entry of a work with the configured strategy.
  ///
  /// `generation` is that of the cache before the transaction.
  func userEntry(
    ofWork workID: Int64, since generation: Int, in database: Database
  ) throws -> UserEntry? {
    let isCached = configuration.userEntry.isCached
    return try entryCache.entry(ofWork: workID, isUsed: isCached, since: generation) {
      try storedEntry(ofWork: workID, in: database)
    }
  }

  private func storedEntry(ofWork workID: Int64, in database: Database) throws -> UserEntry? {
    let select = "SELECT \(UserEntry.columns) FROM userEntry"
    switch configuration.userEntry {
    case .fetchAll:
      let statement = try database.cachedStatement(
        sql: "\(select) NOT INDEXED WHERE workID = ? ORDER BY id")
      return try Row.fetchAll(statement, arguments: [workID]).map(UserEntry.init).first
    case .scan, .cachedManually, .cached:
      return try database.first(
        sql: "\(select) NOT INDEXED WHERE workID = ? ORDER BY id LIMIT 1", workID, UserEntry.init)
    case .indexed:
      return try database.first(sql: "\(select) WHERE workID = ?", workID, UserEntry.init)
    }
  }

  func set(_ details: UserEntryDetails, ofWork workID: Int64, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        UPDATE userEntry SET status = ?, rating = ?, shelves = ?, addedSeconds = ?
        WHERE workID = ?
        """
    ).execute(arguments: details.arguments + [workID])
    if database.changesCount == 0 { try insert(details, ofWork: workID, in: database) }
  }
}
