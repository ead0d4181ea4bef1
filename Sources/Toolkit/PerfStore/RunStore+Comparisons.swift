internal import Foundation
internal import GRDB
public import PerfModel

extension RunStore {
  /// Saves a new comparison, or the design and state of a stored one, which keeps its legs.
  public func save(_ comparison: StoredComparison) throws(StoreError) {
    try write { db in try save(comparison, db) }
  }

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
  /// - Throws: `StoreError.unknownComparison` or `unknownRun`.
  public func append(
    _ leg: StoredComparison.Leg, toComparison id: String
  ) throws(StoreError) {
    try write { db in try append(leg, toComparison: id, db) }
  }

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

  /// Completes the unfinished runs of a comparison as interrupted, with the launches that they have.
  ///
  /// - Parameters:
  ///   - comparison: The comparison.
  ///   - isLeft: Whether no process measures a run any more.
  /// - Throws: `StoreError.unknownRun` or `unstorable`.
  public func interruptRuns(
    of comparison: StoredComparison, where isLeft: (String) -> Bool
  ) throws(StoreError) {
    for id in comparison.runs where try header(id: id).state == .running && isLeft(id) {
      try finish(try run(id: id))
    }
  }

  /// Removes the sessions of a comparison in a transaction, but not their runs.
  func removeLegs(ofComparison id: String, _ db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM comparison_legs
        WHERE comparison = (SELECT key FROM comparisons WHERE id = ?)
        """, arguments: [id])
  }

  /// Returns the comparison with an id, or with an id that begins with a unique prefix.
  ///
  /// - Throws: `StoreError.unknownComparison` or `ambiguousReference`.
  public func comparison(id: String) throws(StoreError) -> StoredComparison {
    let found = try read { db in
      try comparisons(where: "id = ?1 OR substr(id, 1, length(?1)) = ?1", [id], db)
    }
    if let exact = found.first(where: { $0.id == id }) { return exact }
    guard let first = found.first, id.count >= RunReference.shortestID else {
      throw .unknownComparison(id: id)
    }
    guard found.count == 1 else {
      throw .ambiguousReference(text: id, matches: found.map { "\($0.id)  \($0.subject)" })
    }
    return first
  }

  /// Returns comparisons with their legs, the latest first; nil is no limit.
  public func comparisons(limit: Int? = nil) throws(StoreError) -> [StoredComparison] {
    try read { db in try comparisons(where: "1", [], limit: limit, db) }
  }

  /// Returns the comparisons of a subject, the latest first.
  public func comparisons(of subject: String) throws(StoreError) -> [StoredComparison] {
    try read { db in try comparisons(where: "subject = ?", [subject], db) }
  }

  func comparisons(
    where condition: String, _ arguments: [String], limit: Int? = nil, _ db: Database
  ) throws -> [StoredComparison] {
    let select = """
      SELECT key, id, subject, started_ms, design, is_finished FROM comparisons
      WHERE \(condition) ORDER BY started_ms DESC, key DESC LIMIT \(limit ?? -1)
      """
    return try Row.fetchAll(db, sql: select, arguments: StatementArguments(arguments)).map {
      row in
      let id: String = try row.decode(atIndex: 1)
      return StoredComparison(
        id: id, subject: try row.decode(atIndex: 2),
        started: Timestamp(milliseconds: try row.decode(atIndex: 3)),
        design: try decoded(try row.decode(atIndex: 4), "the design of comparison \(id)"),
        legs: try legs(try row.decode(atIndex: 0), db), isFinished: try row.decode(atIndex: 5))
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
    ).map {
      StoredComparison.Leg(
        base: try $0.decode(atIndex: 0), candidate: try $0.decode(atIndex: 1))
    }
  }

  private func decoded<Value: Decodable>(
    _ text: String, _ part: String
  ) throws(StoreError) -> Value {
    do {
      return try JSONText.decode(text)
    } catch {
      throw .damaged(path: path, detail: "\(part) cannot be read")
    }
  }

  /// Adds a decision to the ledger under the next number, at least `least`.
  ///
  /// `confirm` is called with the numbered decision; its error reverts the addition.
  ///
  /// - Throws: `StoreError.failed` for errors of `confirm`.
  @discardableResult
  public func append(
    _ decision: Decision, numberedFrom least: Int = 1,
    confirm: (Decision) throws -> Void = { _ in }
  ) throws(StoreError) -> Decision {
    try write { db in
      var decision = decision
      decision.number = max(try db.nextDecisionNumber(), least)
      try db.insert(decision)
      try confirm(decision)
      return decision
    }
  }

  /// Returns all decisions in the order of their numbers.
  public func decisions() throws(StoreError) -> [Decision] {
    try read { db in try decisions(db) }
  }

  func decisions(_ db: Database) throws -> [Decision] {
    try Row.fetchAll(db, sql: "SELECT number, payload FROM decisions ORDER BY number").map {
      let number: Int = try $0.decode(atIndex: 0)
      return try decoded(try $0.decode(atIndex: 1), "decision \(number)")
    }
  }

  /// Adds a noise certificate; earlier certificates of the machine are kept.
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

  /// Returns the latest certificate of a machine with the identity of `Environment.machine`.
  public func certificate(of machine: String) throws(StoreError) -> NoiseCertificate? {
    try read { db in
      let select = """
        SELECT payload FROM certificates WHERE machine = ?
        ORDER BY certified_ms DESC, key DESC LIMIT 1
        """
      let text = try String.fetchOne(db, sql: select, arguments: [machine])
      return try text.map { try decoded($0, "a noise certificate") }
    }
  }
}

extension Database {
  func nextDecisionNumber() throws -> Int {
    (try Int.fetchOne(self, sql: "SELECT max(number) FROM decisions") ?? 0) + 1
  }

  func insert(_ decision: Decision) throws {
    try insertRow(
      into: "decisions (number, comparison, decided_ms, outcome, payload)",
      [
        decision.number, decision.comparison, decision.decided, decision.outcome.rawValue,
        try JSONText.encode(decision),
      ])
  }
}
