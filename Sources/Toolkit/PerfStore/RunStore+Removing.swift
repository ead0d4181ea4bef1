internal import GRDB
public import PerfModel

extension RunStore {
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
  ///   - dawn: Of those that are unfinished, runs from then on are kept: somebody may be measuring
  ///     them, for whom all would be lost.
  /// - Returns: The ids of the runs that were removed; those of baselines, of comparisons by which
  ///   something was decided, and of comparisons with another run that stays, stay.
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
  public func prune(
    keeping count: Int, since moment: Timestamp? = nil, unfinishedSince dawn: Timestamp? = nil
  ) throws(StoreError) -> [String] {
    try write { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT key, id FROM (
            SELECT id, key, state, started_ms, row_number() OVER (
              PARTITION BY scenario, variant ORDER BY started_ms DESC, key DESC) AS place
            FROM runs)
          WHERE place > ? AND started_ms < ? AND (state != 'running' OR started_ms < ?)
            AND key NOT IN (SELECT run FROM baseline_runs)
            AND key NOT IN (
              SELECT value FROM comparison_legs
              JOIN comparisons ON comparisons.key = comparison_legs.comparison
              JOIN decisions ON decisions.comparison = comparisons.id
              JOIN json_each(json_array(base, candidate)))
          ORDER BY started_ms, key
          """,
        arguments: [count, moment?.milliseconds ?? Int64.max, dawn?.milliseconds ?? Int64.max])
      let keys = try Self.sparingParts(ofComparisons: Set(rows.map { $0[0] as Int64 }), db)
      let ids = rows.filter { keys.contains($0[0] as Int64) }.map { $0[1] as String }
      for id in ids { try delete(id, db) }
      try deleteUnused(db)
      return ids
    }
  }

  /// Leaves out of the keys of runs those of comparisons that have other runs, too: with a session
  /// less, a comparison would have another verdict, and nobody would know.
  private static func sparingParts(
    ofComparisons keys: Set<Int64>, _ db: Database
  ) throws -> Set<Int64> {
    var members: [Int64: Set<Int64>] = [:]
    let legs = "SELECT comparison, base, candidate FROM comparison_legs"
    for row in try Row.fetchAll(db, sql: legs) {
      let (comparison, base, candidate): (Int64, Int64, Int64) = (row[0], row[1], row[2])
      members[comparison, default: []].formUnion([base, candidate])
    }
    var keys = keys
    var isSettled = false
    // A run may be of several comparisons, so that what one spares may be a part of another.
    while !isSettled {
      isSettled = true
      for runs in members.values where !runs.isDisjoint(with: keys) && !runs.isSubset(of: keys) {
        keys.subtract(runs)
        isSettled = false
      }
    }
    return keys
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
