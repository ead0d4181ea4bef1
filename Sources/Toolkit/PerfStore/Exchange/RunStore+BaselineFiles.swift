internal import GRDB
internal import PerfModel

extension RunStore {
  /// What came of an import.
  public struct ImportedBaseline: Hashable, Sendable {
    /// The name that it has here.
    public let name: String
    /// How many of its runs were not here.
    public let newRuns: Int
    /// How many of its runs were here already, with the same values.
    public let knownRuns: Int
  }

  /// Returns a baseline with the metrics of its runs, to be written to a file.
  ///
  /// - Throws: `StoreError.unknownBaseline`, `damaged`, `locked` or `failed`.
  public func baselineFile(of name: String) throws(StoreError) -> BaselineFile {
    let baseline = try baseline(named: name)
    var runs: [Run] = []
    for header in baseline.runs { runs.append(try run(id: header.id, including: [])) }
    return BaselineFile(name: name, saved: baseline.saved, runs: runs)
  }

  /// Takes a baseline in, whole or not at all.
  ///
  /// - Parameters:
  ///   - file: What was read.
  ///   - name: What it is called here; nil for its own name.
  ///   - isReplacing: Whether it may take the place of another baseline of that name.
  /// - Returns: What came of it; a second import of the same file changes nothing.
  /// - Throws: `StoreError.invalidName`, `baselineExists`, `differentContent`, `locked`, `diskFull` or
  ///   `failed`.
  public func importBaseline(
    _ file: BaselineFile, as name: String? = nil, isReplacing: Bool = false
  ) throws(StoreError) -> ImportedBaseline {
    let name = name ?? file.name
    try StoredName.check(name)
    return try write { db in
      var count = 0
      for run in file.runs where try !holds(run, db) {
        try RunWriter(db: db, id: run.id).insertWhole(run)
        count += 1
      }
      let ids = file.runs.map(\.id)
      let present = try String.fetchAll(
        db,
        sql: """
          SELECT runs.id FROM baseline_runs
          JOIN baselines ON baselines.key = baseline JOIN runs ON runs.key = run
          WHERE name = ? ORDER BY position
          """, arguments: [name])
      if present != ids {
        guard present.isEmpty || isReplacing else { throw StoreError.baselineExists(name: name) }
        try saveBaseline(name, runs: ids, saved: file.saved, isAdding: false, db)
      }
      return ImportedBaseline(name: name, newRuns: count, knownRuns: ids.count - count)
    }
  }

  /// Whether a run is here already, with the same values.
  ///
  /// - Throws: `StoreError.differentContent` when another one has its id.
  func holds(_ run: Run, _ db: Database) throws -> Bool {
    let select = "SELECT key FROM runs WHERE id = ?"
    guard let key = try Int64.fetchOne(db, sql: select, arguments: [run.id]) else { return false }
    let known = try RunReader(db: db, path: path, id: run.id, key: key, contents: []).run()
    guard known.isSameMeasurement(as: run) else { throw StoreError.differentContent(id: run.id) }
    return true
  }
}

extension Run {
  /// Whether two runs agree in all but their bulky parts; a NaN agrees with a NaN.
  fileprivate func isSameMeasurement(as other: Run) -> Bool {
    func comparable(_ run: Run) -> RunRecord {
      RunRecord(run.withMetrics { $0.isNaN ? .infinity : $0 })
    }
    return comparable(self) == comparable(other)
  }

  private func withMetrics(_ change: (Double) -> Double) -> Run {
    Run(
      id: id, scenario: scenario, variant: variant, label: label, started: started, seed: seed,
      parameters: parameters, command: command, environment: environment,
      definitions: definitions,
      launches: launches.map { launch in
        Launch(
          index: launch.index, isWarmup: launch.isWarmup, status: launch.status,
          offset: launch.offset, metrics: launch.metrics.mapValues(change), began: launch.began)
      }, budgets: budgets, profile: nil, warnings: warnings, wasInterrupted: wasInterrupted)
  }
}
