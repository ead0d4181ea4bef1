internal import Foundation
internal import GRDB
public import PerfModel

extension RunStore {
  /// Looks for damage: pages, foreign keys, and every run by loading it.
  ///
  /// - Returns: What is wrong, one sentence each; empty when all is well.
  /// - Throws: `StoreError.locked` or `failed`.
  public func check() throws(StoreError) -> [String] {
    do {
      let (pages, keys, runs) = try read { db in
        (
          try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" },
          try Row.fetchAll(db, sql: "PRAGMA foreign_key_check"),
          try String.fetchAll(db, sql: "SELECT id FROM runs ORDER BY started_ms, key")
        )
      }
      let adrift = keys.map { row in
        "row \((row[1] as Int64?).map(String.init) ?? "?") of table \(row[0] as String) belongs to "
          + "nothing in table \(row[2] as String)"
      }
      return pages + adrift + (try runs.compactMap(problem(withRun:)))
    } catch {
      // What is too broken to be listed is a finding as well.
      guard case .damaged(_, let detail) = error as? StoreError else { throw Self.own(error) }
      return [detail]
    }
  }

  private func problem(withRun id: String) throws -> String? {
    do {
      _ = try run(id: id)
      return nil
    } catch .damaged(_, let detail) {
      return detail
    }
  }

  private static func own(_ error: any Error) -> StoreError {
    error as? StoreError ?? .failed(path: "", cause: "\(error)")
  }

  /// Writes a compact copy of the store into a file that does not exist yet.
  ///
  /// Other processes may write meanwhile; the copy is of one moment.
  ///
  /// - Throws: `StoreError.notWritable` (of the copy), `locked`, `diskFull` or `failed`.
  public func backUp(to destination: String) throws(StoreError) {
    let file = StoreFile(path: destination)
    if FileManager.default.fileExists(atPath: file.path) {
      throw .notWritable(path: file.path, cause: "a file of that name exists")
    }
    try file.prepareForWriting()
    do {
      try database.inDatabase { db in
        try db.execute(sql: "VACUUM INTO ?", arguments: [file.path])
      }
    } catch {
      throw ErrorTranslation(path: path, timeout: timeout)(error)
    }
  }

  /// Gives unused space back to the disk.
  ///
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
  public func vacuum() throws(StoreError) {
    do {
      try database.inDatabase { db in
        try db.execute(sql: "VACUUM")
        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    } catch {
      throw ErrorTranslation(path: path, timeout: timeout)(error)
    }
  }

  /// Removes a run with everything that belongs to it alone.
  ///
  /// - Throws: `StoreError.unknownRun`, `heldByBaseline`, `locked`, `diskFull` or `failed`.
  public func remove(run id: String) throws(StoreError) {
    try write { db in
      try delete(id, db)
      try deleteUnused(db)
    }
  }

  /// Removes the earlier runs of each scenario and variant.
  ///
  /// - Parameters:
  ///   - count: How many of the latest runs of each to keep.
  ///   - moment: Runs from then on are kept, too.
  /// - Returns: The ids of the runs that were removed; those of baselines, and of
  ///   comparisons by which something was decided, stay.
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
  public func prune(keeping count: Int, since moment: Timestamp? = nil) throws(StoreError)
    -> [String]
  {
    try write { db in
      let ids = try String.fetchAll(
        db,
        sql: """
          SELECT id FROM (
            SELECT id, key, started_ms, row_number() OVER (
              PARTITION BY scenario, variant ORDER BY started_ms DESC, key DESC) AS place
            FROM runs)
          WHERE place > ? AND started_ms < ? AND key NOT IN (SELECT run FROM baseline_runs)
            AND key NOT IN (
              SELECT value FROM comparison_legs
              JOIN comparisons ON comparisons.key = comparison_legs.comparison
              JOIN decisions ON decisions.comparison = comparisons.id
              JOIN json_each(json_array(base, candidate)))
          ORDER BY started_ms, key
          """, arguments: [count, moment?.milliseconds ?? .max])
      for id in ids { try delete(id, db) }
      try deleteUnused(db)
      return ids
    }
  }

  private func delete(_ id: String, _ db: Database) throws {
    let key = try RunWriter(db: db, id: id).key()
    let holder = try String.fetchOne(
      db,
      sql: """
        SELECT name FROM baselines JOIN baseline_runs ON baseline = baselines.key WHERE run = ?
        """, arguments: [key])
    if let holder { throw StoreError.heldByBaseline(run: id, baseline: holder) }
    try db.execute(sql: "DELETE FROM runs WHERE key = ?", arguments: [key])
  }

  /// Deletes what no run refers to any more: nodes, functions, definitions, metrics.
  private func deleteUnused(_ db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM nodes WHERE key NOT IN (SELECT node FROM profile_nodes);
        DELETE FROM functions WHERE key NOT IN (SELECT function FROM profile_functions)
          AND key NOT IN (SELECT function FROM nodes);
        DELETE FROM definitions WHERE key NOT IN (SELECT definition FROM run_definitions);
        DELETE FROM metrics WHERE key NOT IN (SELECT metric FROM metric_values)
          AND key NOT IN (SELECT metric FROM definitions);
        """)
  }
}
