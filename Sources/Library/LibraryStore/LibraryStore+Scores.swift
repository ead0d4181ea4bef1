internal import GRDB

extension LibraryStore {
  /// Updates editions and their stored scores in one transaction.
  ///
  /// - Returns: The number of the editions that the library contains.
  /// - Throws: `duplicateISBN` with the schema `indexed`, `readOnly`, `locked` or `diskFull`.
  ///   Nothing is changed then.
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

  /// Computes the stored scores of a library with the schema `original` in batches.
  ///
  /// The library stays usable meanwhile, by this object and others. Afterwards, opening it with a
  /// newer schema takes only the time to add its indexes. After an interruption (a crash, a full
  /// disk, a cancellation), the next call continues.
  ///
  /// `progress` is called after each transaction, the one that lists the editions and each batch,
  /// with the numbers of editions done by this call and left; returning false stops. It is not
  /// called when no edition is left at the beginning.
  ///
  /// - Returns: The number of editions left; 0 when all have their score.
  /// - Throws: `otherSchema` with any newer schema, which already has all scores; `readOnly`,
  ///   `locked` or `diskFull`. Earlier batches are kept.
  /// - Complexity: O(*n*) once to list the editions, then O(log *n*) per edition.
  @discardableResult
  public func prepareScores(
    batch: Int = 500, progress: (_ done: Int, _ left: Int) -> Bool = { _, _ in true }
  ) throws(LibraryError) -> Int {
    precondition(batch > 0, "a batch must have at least one edition")
    guard configuration.schema == .original else {
      throw .otherSchema(path: path, found: "\(configuration.schema)", wanted: "original")
    }
    var left = try write { database in
      if try !ScoreMigration.hasBegun(in: database) { try ScoreMigration.begin(in: database) }
      return try ScoreMigration.remaining(in: database)
    }
    guard left > 0, progress(0, left) else { return left }
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

  /// Replaces the details of the editions with a value in a column, and updates their stored
  /// scores.
  func update(
    _ details: EditionDetails, where column: String, is value: Int64, in database: Database
  ) throws {
    let hasScore = configuration.schema >= .scored
    try database.cachedStatement(
      sql: """
        UPDATE edition SET isbn = ?, format = ?, publicationDate = ?, cover = ?, dataQuality = ?
          \(hasScore ? ", qualityScore = ?" : "") WHERE \(column) = ?
        """
    ).execute(arguments: details.arguments(hasScore: hasScore, id: value))
  }
}
