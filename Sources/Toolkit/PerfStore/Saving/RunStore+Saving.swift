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
