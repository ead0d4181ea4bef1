internal import GRDB
public import PerfModel

/// A named list of stored runs that later runs are compared with.
public struct Baseline: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The time of the last save.
  public let saved: Timestamp
  /// The runs, each a session, in the order of adding.
  public let runs: [RunHeader]
}

extension RunStore {
  /// Saves a baseline of stored runs, at least one.
  ///
  /// `isAdding` adds them to the baseline's runs; otherwise they replace them.
  ///
  /// - Throws: `StoreError.invalidName` or `unknownRun`.
  public func saveBaseline(
    _ name: String, runs: [String], saved: Timestamp, isAdding: Bool = false
  ) throws(StoreError) {
    try StoredName.check(name)
    precondition(!runs.isEmpty, "a baseline has at least one run")
    try write { db in try saveBaseline(name, runs: runs, saved: saved, isAdding: isAdding, db) }
  }

  func saveBaseline(
    _ name: String, runs: [String], saved: Timestamp, isAdding: Bool, _ db: Database
  ) throws {
    try db.execute(
      sql: """
        INSERT INTO baselines (name, saved_ms) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET saved_ms = excluded.saved_ms
        """, arguments: [name, saved.milliseconds])
    let key = try Int64.fetchOne(
      db, sql: "SELECT key FROM baselines WHERE name = ?", arguments: [name])
    if !isAdding {
      try db.execute(sql: "DELETE FROM baseline_runs WHERE baseline = ?", arguments: [key])
    }
    for id in runs {
      let run = try RunWriter(db: db, id: id).key()
      try db.execute(
        sql: """
          INSERT INTO baseline_runs (baseline, position, run)
          SELECT ?1, (SELECT ifnull(max(position) + 1, 0) FROM baseline_runs
            WHERE baseline = ?1), ?2
          WHERE NOT EXISTS (SELECT 1 FROM baseline_runs WHERE baseline = ?1 AND run = ?2)
          """, arguments: [key, run])
    }
  }

  /// Returns all baselines by name.
  public func baselines() throws(StoreError) -> [Baseline] {
    try read { db in
      try Row.fetchAll(db, sql: "SELECT name, saved_ms FROM baselines ORDER BY name").map { row in
        try baseline(try row.decode(atIndex: 0), saved: try row.decode(atIndex: 1), db)
      }
    }
  }

  /// Returns the baseline with a name.
  ///
  /// - Throws: `StoreError.unknownBaseline`.
  public func baseline(named name: String) throws(StoreError) -> Baseline {
    try read { db in
      guard let baseline = try storedBaseline(name, db) else {
        throw try unknownBaseline(name, db)
      }
      return baseline
    }
  }

  /// Returns the baseline with a name in a transaction; nil if there is none.
  func storedBaseline(_ name: String, _ db: Database) throws -> Baseline? {
    let select = "SELECT saved_ms FROM baselines WHERE name = ?"
    return try Int64.fetchOne(db, sql: select, arguments: [name])
      .map { try baseline(name, saved: $0, db) }
  }

  /// Removes a baseline, but not its runs.
  ///
  /// - Throws: `StoreError.unknownBaseline`.
  public func removeBaseline(named name: String) throws(StoreError) {
    try write { db in
      try db.execute(sql: "DELETE FROM baselines WHERE name = ?", arguments: [name])
      if db.changesCount == 0 { throw try unknownBaseline(name, db) }
    }
  }

  private func baseline(_ name: String, saved: Int64, _ db: Database) throws -> Baseline {
    let reader = HeaderReader(db: db, path: path)
    return Baseline(
      name: name, saved: Timestamp(milliseconds: saved),
      runs: try runIDs(ofBaseline: name, db).compactMap { try reader.header(id: $0) })
  }

  /// Returns the ids of a baseline's runs in order; none if the baseline does not exist.
  private func runIDs(ofBaseline name: String, _ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT runs.id FROM baseline_runs
        JOIN baselines ON baselines.key = baseline
        JOIN runs ON runs.key = run
        WHERE name = ? ORDER BY position
        """, arguments: [name])
  }

  private func unknownBaseline(_ name: String, _ db: Database) throws -> StoreError {
    let known = try String.fetchAll(db, sql: "SELECT name FROM baselines ORDER BY name")
    return .unknownBaseline(name: name, hint: NearestName.hint(for: name, among: known))
  }

  /// The result of importing a baseline.
  public struct ImportedBaseline: Hashable, Sendable {
    /// The name in this store.
    public let name: String
    /// The number of imported runs.
    public let newRuns: Int
    /// The number of runs that were in the store before, with the same values.
    public let knownRuns: Int
  }

  /// Returns a baseline with the metrics of its runs, for writing to a file.
  ///
  /// - Throws: `StoreError.unknownBaseline`.
  public func baselineFile(of name: String) throws(StoreError) -> BaselineFile {
    let baseline = try baseline(named: name)
    var runs: [Run] = []
    for header in baseline.runs { runs.append(try run(id: header.id, including: [])) }
    return BaselineFile(name: name, saved: baseline.saved, runs: runs)
  }

  /// Imports a baseline completely or not at all; a second import of the same file changes nothing.
  ///
  /// The name in this store is the file's, unless another is given.
  ///
  /// - Throws: `StoreError.invalidName`, `baselineExists` or `differentContent`.
  public func importBaseline(
    _ file: BaselineFile, as name: String? = nil, isReplacing: Bool = false
  ) throws(StoreError) -> ImportedBaseline {
    let name = name ?? file.name
    try StoredName.check(name)
    return try write { db in
      var count = 0
      for run in file.runs where try !holds(run, db) {
        try RunWriter(db: db, id: run.id).insertWhole(run, state: run.endState)
        count += 1
      }
      let ids = file.runs.map(\.id)
      let present = try runIDs(ofBaseline: name, db)
      if present != ids {
        guard present.isEmpty || isReplacing else { throw StoreError.baselineExists(name: name) }
        try saveBaseline(name, runs: ids, saved: file.saved, isAdding: false, db)
      }
      return ImportedBaseline(name: name, newRuns: count, knownRuns: ids.count - count)
    }
  }

  /// Returns whether the store contains a run with the same values.
  ///
  /// - Throws: `StoreError.differentContent` if another run has the same id.
  func holds(_ run: Run, _ db: Database) throws -> Bool {
    let select = try db.cachedStatement(sql: "SELECT key FROM runs WHERE id = ?")
    guard let key = try Int64.fetchOne(select, arguments: [run.id]) else { return false }
    let known = try RunReader(db: db, path: path, id: run.id, key: key, contents: []).run()
    guard RunRecord(known).isSameMeasurement(as: RunRecord(run)) else {
      throw StoreError.differentContent(id: run.id)
    }
    return true
  }
}

extension Run {
  /// The stored state of a complete run.
  var endState: RunHeader.State { wasInterrupted ? .interrupted : .finished }
}
