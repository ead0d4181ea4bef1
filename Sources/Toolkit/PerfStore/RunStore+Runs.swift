internal import GRDB
public import PerfModel

extension RunStore {
  /// Saves a complete run in one transaction.
  ///
  /// - Throws: `StoreError.runExists`, `invalidName` (of the label) or `unstorable`.
  public func save(_ run: Run) throws(StoreError) {
    if let label = run.label { try StoredName.check(label) }
    try write(needed: SizeEstimate.bytes(of: run)) { db in
      try RunWriter(db: db, id: run.id).insertWhole(run, state: run.endState)
    }
  }

  /// Saves a run that has no launches yet, so that they can be appended.
  ///
  /// Until `finish`, the run is readable and counts as interrupted, even if this process dies. Only
  /// definitions of metrics that its launches have are read.
  ///
  /// - Throws: The errors of `save`.
  public func begin(_ run: Run) throws(StoreError) {
    if let label = run.label { try StoredName.check(label) }
    try write { db in try RunWriter(db: db, id: run.id).insertWhole(run, state: .running) }
  }

  /// Adds a launch to an unfinished run.
  ///
  /// - Throws: `StoreError.unknownRun`.
  public func append(_ launch: Launch, to id: String) throws(StoreError) {
    try write(needed: SizeEstimate.bytes(of: launch)) { db in
      let writer = RunWriter(db: db, id: id)
      try writer.insert([launch], run: try writer.key())
    }
  }

  /// Opens a run that was cut off for the launches that it lacks.
  ///
  /// Interrupted launches are removed, and the run counts as unfinished.
  ///
  /// - Parameters:
  ///   - id: The run's id.
  ///   - warning: A warning that the run keeps unless `finish` replaces it.
  /// - Returns: The numbers of the launches that it has.
  /// - Throws: `StoreError.unknownRun`.
  public func reopen(_ id: String, adding warning: RunWarning) throws(StoreError) -> Set<Int> {
    try write { db in
      let key = try RunWriter(db: db, id: id).key()
      try db.execute(
        sql: "DELETE FROM iterations WHERE run = ? AND status = 'interrupted'", arguments: [key])
      try db.execute(sql: "UPDATE runs SET state = 'running' WHERE key = ?", arguments: [key])
      try db.execute(
        sql: """
          INSERT INTO warnings (run, position, code, message, remedy)
          SELECT ?, COALESCE(MAX(position), -1) + 1, ?, ?, ? FROM warnings WHERE run = ?
          """, arguments: [key, warning.code, warning.message, warning.remedy, key])
      return try Set(
        Int.fetchAll(db, sql: "SELECT number FROM iterations WHERE run = ?", arguments: [key]))
    }
  }

  /// Completes an unfinished run.
  ///
  /// Environment, definitions, budgets, warnings and profile are replaced; missing launches are
  /// added.
  ///
  /// - Throws: `StoreError.unknownRun` or `unstorable`.
  public func finish(_ run: Run) throws(StoreError) {
    try write(needed: SizeEstimate.bytes(of: run)) { db in
      let writer = RunWriter(db: db, id: run.id)
      let key = try writer.key()
      try writer.removeDetails(key: key)
      try writer.insertDetails(of: run, key: key)
      let saved = try Set(
        Int.fetchAll(db, sql: "SELECT number FROM iterations WHERE run = ?", arguments: [key]))
      try writer.insert(run.launches.filter { !saved.contains($0.index) }, run: key)
      try db.execute(
        sql: "UPDATE runs SET state = ? WHERE key = ?", arguments: [run.endState.rawValue, key])
    }
  }

  /// Returns a run by its full id, with the bulky parts in `contents` and one metric or all.
  ///
  /// An unfinished run counts as interrupted.
  ///
  /// - Throws: `StoreError.unknownRun`.
  public func run(
    id: String, including contents: RunContents = .all, metric: String? = nil
  ) throws(StoreError) -> Run {
    try runs(ids: [id], including: contents, metric: metric)[0]
  }

  /// Returns runs by their full ids, in that order, reading shared rows once.
  ///
  /// - Throws: `StoreError.unknownRun`.
  public func runs(
    ids: [String], including contents: RunContents = .all, metric: String? = nil
  ) throws(StoreError) -> [Run] {
    try read { db in
      let known = KnownMetrics()
      let select = try db.cachedStatement(sql: "SELECT key FROM runs WHERE id = ?")
      return try ids.map { id in
        guard let key = try Int64.fetchOne(select, arguments: [id]) else {
          throw StoreError.unknownRun(id: id)
        }
        return try RunReader(
          db: db, path: path, id: id, key: key, contents: contents, metric: metric, known: known
        ).run()
      }
    }
  }

  /// Returns the header of a run by its full id.
  ///
  /// - Throws: `StoreError.unknownRun`.
  public func header(id: String) throws(StoreError) -> RunHeader {
    try read { db in
      guard let header = try HeaderReader(db: db, path: path).header(id: id) else {
        throw StoreError.unknownRun(id: id)
      }
      return header
    }
  }

  /// Returns the headers of the runs that match a filter, the latest first.
  public func headers(_ filter: RunFilter = RunFilter()) throws(StoreError) -> [RunHeader] {
    try read { db in try HeaderReader(db: db, path: path).headers(filter) }
  }

  /// Returns the run of a reference.
  ///
  /// If a label, baseline, commit or variant has several runs of one scenario and variant, the
  /// latest is returned; runs of several scenarios or variants are ambiguous, unless `scenario` or
  /// `variant` selects one.
  ///
  /// - Throws: `StoreError.noRuns`, `invalidReference`, `unknownReference` or `ambiguousReference`.
  public func resolve(_ text: String, scenario: String? = nil, variant: String? = nil)
    throws(StoreError) -> RunHeader
  {
    let reference = try RunReference(text)
    return try read { try resolver(text, scenario, variant, $0).run(reference) }
  }

  /// Returns all runs of a label, baseline, commit or variant, the latest first.
  ///
  /// - Throws: The errors of `resolve`; `ambiguousReference` only if several kinds of things,
  ///   commits or ids match.
  public func runs(named text: String) throws(StoreError) -> [RunHeader] {
    let reference = try RunReference(text)
    return try read { try resolver(text, nil, nil, $0).runs(reference) }
  }

  private func resolver(
    _ text: String, _ scenario: String?, _ variant: String?, _ db: Database
  ) -> ReferenceResolver {
    ReferenceResolver(
      headers: HeaderReader(db: db, path: path), text: text, scenario: scenario, variant: variant)
  }

  /// Removes a run and everything that belongs to it alone.
  ///
  /// - Throws: `StoreError.unknownRun` or `heldByBaseline`.
  public func remove(run id: String) throws(StoreError) {
    try write { db in
      try delete(id, db)
      try deleteUnused(db)
    }
  }

  /// Removes all but the latest `count` runs of each scenario and variant; returns their ids.
  ///
  /// Runs of baselines are kept, and so are runs of comparisons with a decision or with another run
  /// that is kept. Runs that began at or after `moment` are kept, and so are unfinished runs that
  /// began at or after `dawn`, because another process may still measure them.
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
      let found = try rows.map { row in
        (key: try row.decode(Int64.self, atIndex: 0), id: try row.decode(String.self, atIndex: 1))
      }
      let keys = try Self.sparingParts(ofComparisons: Set(found.map(\.key)), db)
      let ids = found.filter { keys.contains($0.key) }.map(\.id)
      for id in ids { try delete(id, db) }
      try deleteUnused(db)
      return ids
    }
  }

  /// Returns the keys without runs of comparisons that have other runs as well.
  private static func sparingParts(
    ofComparisons keys: Set<Int64>, _ db: Database
  ) throws -> Set<Int64> {
    var members: [Int64: Set<Int64>] = [:]
    let legs = "SELECT comparison, base, candidate FROM comparison_legs"
    for row in try Row.fetchAll(db, sql: legs) {
      let keys = try (0..<3).map { try row.decode(Int64.self, atIndex: $0) }
      members[keys[0], default: []].formUnion(keys[1...])
    }
    return Retention.sparingParts(of: members.values, in: keys)
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
