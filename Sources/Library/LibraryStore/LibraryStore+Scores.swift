internal import GRDB

extension LibraryStore {
  /// Changes what is known of editions, and their stored scores with it, in one transaction.
  ///
  /// - Parameter editions: Each replaces all that was known of the edition in its row.
  /// - Returns: How many of them there are in the library.
  /// - Throws: `duplicateISBN` with the schema `indexed`, `readOnly`, `locked` or `diskFull`; nothing
  ///   is changed then.
  @discardableResult
  public func update(_ editions: [Edition]) throws(LibraryError) -> Int {
    for edition in editions { try checkText(edition.details) }
    return try write { database in
      var count = 0
      for edition in editions {
        try update(edition.details, where: "id", is: edition.id, in: database)
        count += database.changesCount
      }
      return count
    }
  }

  /// Gives editions of a library with the schema `original` their stored score, some at a time.
  ///
  /// The library stays in use meanwhile, by this object and others. When everything is done, opening
  /// it with a newer schema takes no longer than adding its indexes. Whatever stops it (a crash, a full
  /// disk, `isCancelled`), the next call goes on where it was.
  ///
  /// - Parameters:
  ///   - batch: How many editions are committed together, at least 1.
  ///   - progress: Called after each batch with how many are done by this call and how many are left;
  ///     returning false stops.
  /// - Returns: How many editions are left; 0 when all have their score.
  /// - Throws: `otherSchema` with any newer schema, which has all scores already; `readOnly`, `locked`
  ///   or `diskFull`: the batches before stay.
  /// - Complexity: O(*n*) once to list the editions, then O(log *n*) an edition.
  @discardableResult
  public func prepareScores(
    batch: Int = 500, progress: (_ done: Int, _ left: Int) -> Bool = { _, _ in true }
  ) throws(LibraryError) -> Int {
    precondition(batch > 0, "a batch has at least one edition")
    guard configuration.schema == .original else {
      throw .otherSchema(path: path, found: configuration.schema.description, wanted: "original")
    }
    var left = try write { database in
      if try !ScoreMigration.hasBegun(in: database) { try ScoreMigration.begin(in: database) }
      return try ScoreMigration.remaining(in: database)
    }
    var done = 0
    while left > 0 {
      left = try write { database in
        done += try ScoreMigration.step(limit: batch, in: database)
        return try ScoreMigration.remaining(in: database)
      }
      guard progress(done, left) else { break }
    }
    return left
  }

  // MARK: - Within a transaction

  /// Replaces the details of the editions of which a column has a value.
  ///
  /// The stored score follows every change of what it is computed from.
  func update(
    _ details: EditionDetails, where column: String, is value: Int64, in database: Database
  ) throws {
    let hasScore = configuration.schema >= .scored
    var arguments: StatementArguments = [
      details.isbn?.number, details.format.rawValue, details.publicationDate, details.cover,
      details.dataQuality,
    ]
    if hasScore { arguments += [details.qualityScore] }
    try database.cachedStatement(
      sql: """
        UPDATE edition SET isbn = ?, format = ?, publicationDate = ?, cover = ?, dataQuality = ?
          \(hasScore ? ", qualityScore = ?" : "") WHERE \(column) = ?
        """
    ).execute(arguments: arguments + [value])
  }
}
