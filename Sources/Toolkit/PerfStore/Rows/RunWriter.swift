internal import GRDB
internal import PerfModel

/// Writes the rows of a run in a transaction.
struct RunWriter {
  let db: Database
  let id: String
  /// The keys of shared rows, which the runs of one transaction look up together.
  var shared = SharedKeys()

  func key() throws -> Int64 {
    guard
      let key = try Int64.fetchOne(db, sql: "SELECT key FROM runs WHERE id = ?", arguments: [id])
    else { throw StoreError.unknownRun(id: id) }
    return key
  }

  func insertWhole(_ run: Run, state: RunHeader.State) throws {
    let key = try insertRun(run, state: state)
    try insertDetails(of: run, key: key)
    try insert(run.launches, run: key)
  }

  private func insertRun(_ run: Run, state: RunHeader.State) throws -> Int64 {
    let select = try db.cachedStatement(sql: "SELECT count(*) FROM runs WHERE id = ?")
    if try Int.fetchOne(select, arguments: [run.id]) != 0 { throw StoreError.runExists(id: run.id) }
    let command = try text(ofCommand: run.command)
    try db.insertRow(
      into: "runs (id, scenario, variant, label, state, started_ms, seed, command)",
      [
        run.id, run.scenario, run.variant, run.label, state.rawValue, run.started.milliseconds,
        Int64(bitPattern: run.seed), command,
      ])
    let key = db.lastInsertedRowID
    for (name, value) in run.parameters.sorted(by: { $0.key < $1.key }) {
      let (kind, stored) = Self.stored(value)
      try db.insertRow(into: "parameters (run, name, kind, value)", [key, name, kind, stored])
    }
    return key
  }

  /// Inserts everything except the run's row, its parameters and its launches.
  func insertDetails(of run: Run, key: Int64) throws {
    let facts = run.environment.facts.sorted { $0.key < $1.key }
    try shared.insertRows(
      into: "environments (run, fact, value)",
      facts.flatMap { [key.databaseValue, $0.key.databaseValue, $0.value.databaseValue] }, db)
    try setCommit(of: run, key: key)
    try shared.insertRows(
      into: "run_definitions (run, position, definition)",
      try keys(of: run.definitions).enumerated().flatMap { place, definition in
        [key.databaseValue, place.databaseValue, definition.databaseValue]
      }, db)
    try db.insertList(
      into:
        "budgets (run, position, metric, statistic, percentile, comparison, base_limit, unit)",
      key, run.budgets
    ) { budget in
      let (statistic, percentile) = Self.stored(budget.statistic)
      return [
        budget.metric, statistic, percentile, budget.comparison.rawValue, budget.limit.baseValue,
        budget.limit.unit.symbol,
      ]
    }
    try db.insertList(
      into: "warnings (run, position, code, message, remedy)", key, run.warnings
    ) {
      [$0.code, $0.message, $0.remedy]
    }
    if let profile = run.profile {
      try ProfileWriter(db: db, run: key, id: id).insert(profile)
    }
    if let work = run.work { try insert(work, run: key) }
  }

  private func insert(_ work: WorkProfile, run: Int64) throws {
    try db.insertRow(
      into: "work (run, functions, payload)",
      [run, work.functions.count, try JSONText.encode(work)])
  }

  /// Inserts the bulky parts of a run that its rows lack.
  ///
  /// - Returns: Whether a part was inserted.
  func complete(by run: Run) throws -> Bool {
    let key = try key()
    var isChanged = false
    if let profile = run.profile, try !exists("profiles WHERE run = ?", key) {
      try ProfileWriter(db: db, run: key, id: id).insert(profile)
      isChanged = true
    }
    if let work = run.work, try !exists("work WHERE run = ?", key) {
      try insert(work, run: key)
      isChanged = true
    }
    for launch in run.launches where launch.hasRecordings {
      let select = "SELECT key FROM iterations WHERE run = ? AND number = ?"
      guard
        let iteration = try Int64.fetchOne(
          db.cachedStatement(sql: select), arguments: [key, launch.index]),
        try !["series", "frames", "spans"].contains(where: { table in
          try exists("\(table) WHERE iteration = ?", iteration)
        })
      else { continue }
      try insertRecordings(of: launch, iteration: iteration)
      isChanged = true
    }
    return isChanged
  }

  private func exists(_ rows: String, _ key: Int64) throws -> Bool {
    let select = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM \(rows))")
    return try Bool.fetchOne(select, arguments: [key]) ?? false
  }

  /// Deletes the rows that `insertDetails` inserted for a run.
  func removeDetails(key: Int64) throws {
    for table in ["environments", "run_definitions", "budgets", "warnings", "profiles", "work"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE run = ?", arguments: [key])
    }
  }

  /// Copies two facts of the environment to the columns of lists and references.
  private func setCommit(of run: Run, key: Int64) throws {
    let isDirty: Bool? =
      switch run.environment[.dirty] {
      case "true": true
      case "false": false
      default: nil
      }
    try db.cachedStatement(sql: "UPDATE runs SET commit_hash = ?, is_dirty = ? WHERE key = ?")
      .execute(arguments: [run.environment[.commit], isDirty, key])
  }

  func key(ofMetric name: String) throws -> Int64 {
    if let key = shared.metrics[name] { return key }
    let key = try db.key(in: "metrics (name)", where: "name = ?", [name])
    shared.metrics[name] = key
    return key
  }

  private func keys(of definitions: [MetricDefinition]) throws -> [Int64] {
    if shared.list.definitions == definitions { return shared.list.keys }
    let keys = try definitions.map(key(of:))
    shared.list = (definitions, keys)
    return keys
  }

  private func text(ofCommand command: [String]) throws -> String {
    if let text = shared.commands[command] { return text }
    let text = try JSONText.encode(command)
    shared.commands[command] = text
    return text
  }

  private func key(of definition: MetricDefinition) throws -> Int64 {
    if let key = shared.definitions[definition] { return key }
    let key = try db.key(
      in: "definitions (metric, dimension, direction, scale, is_deterministic, summary)",
      where: """
        metric = ? AND dimension = ? AND direction = ? AND scale = ? AND is_deterministic = ?
        AND summary = ?
        """,
      [
        try key(ofMetric: definition.name), definition.dimension.rawValue,
        definition.direction.rawValue, definition.scale.rawValue, definition.isDeterministic,
        definition.summary,
      ])
    shared.definitions[definition] = key
    return key
  }

  private static func stored(_ value: ParameterValue) -> (String, (any DatabaseValueConvertible)?) {
    switch value {
    case .int(let value): ("int", value)
    case .double(let value): ("double", value)
    case .string(let value): ("string", value)
    case .bool(let value): ("bool", value)
    }
  }

  static func stored(_ statistic: Budget.Statistic) -> (String, Double?) {
    switch statistic {
    case .min: ("min", nil)
    case .mean: ("mean", nil)
    case .max: ("max", nil)
    case .percentile(let value): ("percentile", value)
    }
  }

  static func stored(_ status: Launch.Status) -> (String, Int32?, String?) {
    switch status {
    case .completed: ("completed", nil, nil)
    case .crashed(let signal): ("crashed", signal, nil)
    case .timedOut: ("timed out", nil, nil)
    case .jetsam: ("jetsam", nil, nil)
    case .failed(let message): ("failed", nil, message)
    case .interrupted: ("interrupted", nil, nil)
    }
  }
}

/// Estimates the bytes of a run in a store, for the message of a full disk.
enum SizeEstimate {
  static func bytes(of run: Run) -> Int {
    let counted = (run.work?.functions.count ?? 0) * (100 + 16 * (run.work?.launches.count ?? 0))
    let launches = run.launches.reduce(4096 + counted) { $0 + bytes(of: $1) }
    guard let profile = run.profile else { return launches }
    let samples = profile.timeline.values.reduce(0) { $0 + $1.count }
    return launches + samples * 13 + profile.counts.count * 32 + profile.nodes.count * 60
      + profile.functions.count * 200
  }

  static func bytes(of launch: Launch) -> Int {
    let points = launch.series.reduce(0) { $0 + $1.times.count }
    return 256 + launch.metrics.count * 20 + points * 8 + launch.frames.count * 18
      + launch.spans.count * 9
  }
}
