internal import Foundation
internal import GRDB
public import PerfModel

extension RunStore {
  /// Saves a new comparison, or updates the design and state of a stored one without changing its
  /// legs.
  ///
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
  public func save(_ comparison: StoredComparison) throws(StoreError) {
    try write { db in try save(comparison, db) }
  }

  /// Saves a comparison in a transaction.
  func save(_ comparison: StoredComparison, _ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO comparisons (id, subject, started_ms, design, is_finished)
        VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
          design = excluded.design, is_finished = excluded.is_finished
        """,
      arguments: [
        comparison.id, comparison.subject, comparison.started.milliseconds,
        try JSONText.encode(comparison.design), comparison.isFinished,
      ])
  }

  /// Adds a session to a comparison; both runs must be stored.
  ///
  /// - Throws: `StoreError.unknownComparison`, `unknownRun`, `locked`, `diskFull` or `failed`.
  public func append(
    _ leg: StoredComparison.Leg, toComparison id: String
  ) throws(StoreError) {
    try write { db in try append(leg, toComparison: id, db) }
  }

  /// Adds a session in a transaction.
  func append(_ leg: StoredComparison.Leg, toComparison id: String, _ db: Database) throws {
    let select = "SELECT key FROM comparisons WHERE id = ?"
    guard let key = try Int64.fetchOne(db, sql: select, arguments: [id]) else {
      throw StoreError.unknownComparison(id: id)
    }
    try db.execute(
      sql: """
        INSERT INTO comparison_legs (comparison, position, base, candidate)
        SELECT ?1, (SELECT ifnull(max(position) + 1, 0) FROM comparison_legs
          WHERE comparison = ?1), ?2, ?3
        """,
      arguments: [
        key, try RunWriter(db: db, id: leg.base).key(),
        try RunWriter(db: db, id: leg.candidate).key(),
      ])
  }

  /// Removes the sessions of a comparison in a transaction, but not their runs.
  func removeLegs(ofComparison id: String, _ db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM comparison_legs
        WHERE comparison = (SELECT key FROM comparisons WHERE id = ?)
        """, arguments: [id])
  }

  /// Returns a comparison with its legs.
  ///
  /// - Parameter id: The id, or a prefix that no other comparison has.
  /// - Returns: The comparison.
  /// - Throws: `StoreError.unknownComparison`, `ambiguousReference`, `damaged`, `locked` or
  ///   `failed`.
  public func comparison(id: String) throws(StoreError) -> StoredComparison {
    let found = try comparisons(where: "id = ?1 OR substr(id, 1, length(?1)) = ?1", [id])
    if let exact = found.first(where: { $0.id == id }) { return exact }
    guard let first = found.first, id.count >= RunReference.shortestID else {
      throw .unknownComparison(id: id)
    }
    guard found.count == 1 else {
      throw .ambiguousReference(text: id, matches: found.map { "\($0.id)  \($0.subject)" })
    }
    return first
  }

  /// Returns comparisons with their legs, the latest first.
  ///
  /// - Parameter limit: The maximum number of comparisons; nil for all.
  /// - Returns: The comparisons.
  /// - Throws: `StoreError.damaged`, `locked` or `failed`.
  public func comparisons(limit: Int? = nil) throws(StoreError) -> [StoredComparison] {
    try read { db in try comparisons(where: "1", [], limit: limit, db) }
  }

  /// Returns the comparisons of a subject, the latest first.
  ///
  /// - Throws: `StoreError.damaged`, `locked` or `failed`.
  public func comparisons(of subject: String) throws(StoreError) -> [StoredComparison] {
    try comparisons(where: "subject = ?", [subject])
  }

  private func comparisons(
    where condition: String, _ arguments: [String]
  ) throws(StoreError) -> [StoredComparison] {
    try read { db in try comparisons(where: condition, arguments, db) }
  }

  /// Reads comparisons in a transaction, the latest first.
  func comparisons(
    where condition: String, _ arguments: [String], limit: Int? = nil, _ db: Database
  ) throws -> [StoredComparison] {
    let select = """
      SELECT key, id, subject, started_ms, design, is_finished FROM comparisons
      WHERE \(condition) ORDER BY started_ms DESC, key DESC LIMIT \(limit ?? -1)
      """
    return try Row.fetchAll(db, sql: select, arguments: StatementArguments(arguments)).map {
      row in
      let id: String = row[1]
      return StoredComparison(
        id: id, subject: row[2], started: Timestamp(milliseconds: row[3]),
        design: try design(row[4], of: id), legs: try legs(row[0], db), isFinished: row[5])
    }
  }

  private func legs(_ comparison: Int64, _ db: Database) throws -> [StoredComparison.Leg] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT base.id, candidate.id FROM comparison_legs
        JOIN runs AS base ON base.key = base
        JOIN runs AS candidate ON candidate.key = candidate
        WHERE comparison = ? ORDER BY position
        """, arguments: [comparison]
    ).map { StoredComparison.Leg(base: $0[0], candidate: $0[1]) }
  }

  private func design(_ text: String, of id: String) throws(StoreError) -> ComparisonDesign {
    do {
      return try JSONText.decode(text)
    } catch {
      throw .damaged(path: path, detail: "the design of comparison \(id) cannot be read")
    }
  }
}

extension RunStore {
  /// Adds a decision to the ledger.
  ///
  /// - Parameters:
  ///   - decision: The decision; its number is ignored.
  ///   - least: The lowest allowed number, e.g. above the numbers of another store.
  ///   - confirm: Called with the numbered decision; an error reverts the addition.
  /// - Returns: The decision with its number.
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`; `failed` also for errors of `confirm`.
  @discardableResult
  public func append(
    _ decision: Decision, numberedFrom least: Int = 1,
    confirm: (Decision) throws -> Void = { _ in }
  ) throws(StoreError) -> Decision {
    try write { db in
      var decision = decision
      let writer = DecisionWriter(db: db)
      decision.number = max(try writer.nextNumber(), least)
      try writer.insert(decision)
      try confirm(decision)
      return decision
    }
  }

  /// Returns all decisions in the order of their numbers.
  ///
  /// - Throws: `StoreError.damaged`, `locked` or `failed`.
  public func decisions() throws(StoreError) -> [Decision] {
    try read { db in try decisions(db) }
  }

  /// Reads all decisions in a transaction.
  func decisions(_ db: Database) throws -> [Decision] {
    try Row.fetchAll(db, sql: "SELECT number, payload FROM decisions ORDER BY number").map {
      row in
      let (number, text): (Int, String) = (row[0], row[1])
      do {
        return try JSONText.decode(text) as Decision
      } catch {
        throw StoreError.damaged(path: path, detail: "decision \(number) cannot be read")
      }
    }
  }
}

extension RunStore {
  /// Adds a noise certificate; earlier certificates of the machine are kept.
  ///
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
  public func append(_ certificate: NoiseCertificate) throws(StoreError) {
    try write { db in
      try db.execute(
        sql: "INSERT INTO certificates (machine, certified_ms, payload) VALUES (?, ?, ?)",
        arguments: [
          certificate.machine, certificate.certified.milliseconds,
          try JSONText.encode(certificate),
        ])
    }
  }

  /// Returns the latest certificate of a machine.
  ///
  /// - Parameter machine: The identity of `Environment.machine`.
  /// - Returns: The certificate, or nil.
  /// - Throws: `StoreError.damaged`, `locked` or `failed`.
  public func certificate(of machine: String) throws(StoreError) -> NoiseCertificate? {
    try read { db in
      let select = """
        SELECT payload FROM certificates WHERE machine = ?
        ORDER BY certified_ms DESC, key DESC LIMIT 1
        """
      guard let text = try String.fetchOne(db, sql: select, arguments: [machine]) else {
        return nil
      }
      do {
        return try JSONText.decode(text)
      } catch {
        throw StoreError.damaged(path: path, detail: "a noise certificate cannot be read")
      }
    }
  }
}
