internal import GRDB
public import PerfModel

extension RunStore {
  /// Saves a run whole, in one transaction.
  ///
  /// - Throws: `StoreError.runExists`, `invalidName` (of the label), `unstorable`, `locked`,
  ///   `diskFull` or `failed`.
  public func save(_ run: Run) throws(StoreError) {
    if let label = run.label { try StoredName.check(label) }
    try write(needed: SizeEstimate.bytes(of: run)) { db in
      try RunWriter(db: db, id: run.id).insertWhole(run)
    }
  }

  /// Begins to save a run bit by bit: all of it that is known before its first launch.
  ///
  /// Until `finish`, the run can be read and counts as interrupted, whatever becomes of this
  /// process. Of its definitions only those are read whose metrics its launches have.
  ///
  /// - Throws: As `save`.
  public func begin(_ run: Run) throws(StoreError) {
    if let label = run.label { try StoredName.check(label) }
    try write { db in
      let writer = RunWriter(db: db, id: run.id)
      let key = try writer.insertRun(run, state: .running)
      try writer.insertDetails(of: run, key: key)
      for launch in run.launches { try writer.insert(launch, run: key) }
    }
  }

  /// Adds a launch to a run that was begun.
  ///
  /// - Throws: `StoreError.unknownRun`, `locked`, `diskFull` or `failed`.
  public func append(_ launch: Launch, to id: String) throws(StoreError) {
    try write(needed: SizeEstimate.bytes(of: launch)) { db in
      let writer = RunWriter(db: db, id: id)
      try writer.insert(launch, run: try writer.key())
    }
  }

  /// Ends a run that was begun: its environment, definitions, budgets, warnings and profile become
  /// those of the value; launches are added that were not yet.
  ///
  /// - Throws: `StoreError.unknownRun`, `unstorable`, `locked`, `diskFull` or `failed`.
  public func finish(_ run: Run) throws(StoreError) {
    try write(needed: SizeEstimate.bytes(of: run)) { db in
      let writer = RunWriter(db: db, id: run.id)
      let key = try writer.key()
      try writer.removeDetails(key: key)
      try writer.insertDetails(of: run, key: key)
      let saved = try Set(
        Int.fetchAll(db, sql: "SELECT number FROM iterations WHERE run = ?", arguments: [key]))
      for launch in run.launches where !saved.contains(launch.index) {
        try writer.insert(launch, run: key)
      }
      try writer.setState(run.wasInterrupted ? .interrupted : .finished, of: run, key: key)
    }
  }
}

extension RunStore {
  /// Returns a run by its whole id.
  ///
  /// - Parameters:
  ///   - id: The id, not a prefix of it; `run(_:)` of a reference finds that.
  ///   - contents: Which bulky parts to load; what is left out is empty or nil in the run.
  ///   - metric: The only metric whose values to load; nil for all of them.
  /// - Returns: The run; one that was begun and not finished counts as interrupted.
  /// - Throws: `StoreError.unknownRun`, `damaged`, `locked` or `failed`.
  public func run(
    id: String, including contents: RunContents = .all, metric: String? = nil
  ) throws(StoreError) -> Run {
    try runs(ids: [id], including: contents, metric: metric)[0]
  }

  /// Returns runs by their whole ids, in that order; what they share is read once.
  ///
  /// - Parameters:
  ///   - ids: The ids.
  ///   - contents: Which bulky parts to load.
  ///   - metric: The only metric whose values to load; nil for all of them.
  /// - Returns: As many runs as ids.
  /// - Throws: As `run(id:including:metric:)`.
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

  /// Returns what lists show of a run, by its whole id.
  ///
  /// - Throws: `StoreError.unknownRun`, `damaged`, `locked` or `failed`.
  public func header(id: String) throws(StoreError) -> RunHeader {
    try read { db in
      guard let header = try HeaderReader(db: db, path: path).header(id: id) else {
        throw StoreError.unknownRun(id: id)
      }
      return header
    }
  }

  /// Returns the runs that fit a filter, the latest first.
  ///
  /// - Throws: `StoreError.damaged`, `locked` or `failed`.
  public func headers(_ filter: RunFilter = RunFilter()) throws(StoreError) -> [RunHeader] {
    try read { db in try HeaderReader(db: db, path: path).headers(filter) }
  }
}

extension RunStore {
  /// Returns the run that a reference names.
  ///
  /// Where a label, baseline, commit or variant has several runs of one scenario and variant, that
  /// is the latest of them; runs of several ones are more than one match.
  ///
  /// - Parameters:
  ///   - text: A reference as in `RunReference`.
  ///   - scenario: When several scenarios match, the one that is meant.
  ///   - variant: When several variants match, the one that is meant.
  /// - Returns: The header; `run(id:)` loads the run.
  /// - Throws: `StoreError.noRuns`, `invalidReference`, `unknownReference`, `ambiguousReference`,
  ///   `locked` or `failed`.
  public func resolve(_ text: String, scenario: String? = nil, variant: String? = nil)
    throws(StoreError) -> RunHeader
  {
    let reference = try RunReference(text)
    return try read { db in
      try ReferenceResolver(
        headers: HeaderReader(db: db, path: path), text: text, scenario: scenario,
        variant: variant
      ).run(reference)
    }
  }

  /// Returns all runs that a reference names, the latest first: every run of a label, a baseline, a
  /// commit or a variant.
  ///
  /// - Throws: As `resolve`; `ambiguousReference` only when things of several kinds, or several
  ///   commits or ids, are called so.
  public func runs(named text: String) throws(StoreError) -> [RunHeader] {
    let reference = try RunReference(text)
    return try read { db in
      try ReferenceResolver(
        headers: HeaderReader(db: db, path: path), text: text, scenario: nil, variant: nil
      ).runs(reference)
    }
  }
}

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
