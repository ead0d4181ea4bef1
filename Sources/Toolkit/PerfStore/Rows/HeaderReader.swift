internal import GRDB
internal import PerfModel

struct HeaderReader {
  let db: Database
  let path: String

  /// Returns the runs that match a filter, the latest first.
  func headers(_ filter: RunFilter) throws -> [RunHeader] {
    var conditions: [String] = []
    var arguments: StatementArguments = []
    for (column, value) in [
      ("scenario", filter.scenario), ("variant", filter.variant), ("label", filter.label),
    ] {
      guard let value else { continue }
      conditions.append("\(column) = ?")
      arguments += [value]
    }
    if let prefix = filter.commitPrefix {
      // A range uses the index; its end is greater than every hexadecimal continuation.
      conditions.append("commit_hash >= ? AND commit_hash < ?")
      arguments += [prefix, prefix + "~"]
    }
    return try headers(where: conditions, arguments, limit: filter.limit)
  }

  func headers(idPrefix prefix: String) throws -> [RunHeader] {
    try headers(where: ["id >= ? AND id < ?"], [prefix, prefix + "~"], limit: nil)
  }

  func header(id: String) throws -> RunHeader? {
    try headers(where: ["id = ?"], [id], limit: nil).first
  }

  func headers(baseline name: String) throws -> [RunHeader] {
    let condition = """
      runs.key IN (SELECT run FROM baseline_runs JOIN baselines ON baselines.key = baseline
        WHERE name = ?)
      """
    return try headers(where: [condition], [name], limit: nil)
  }

  /// Returns the run with a number of later runs, or nil.
  func header(fromLatest distance: Int) throws -> RunHeader? {
    try headers(where: [], [], limit: 1, offset: distance).first
  }

  private func headers(
    where conditions: [String], _ arguments: StatementArguments, limit: Int?, offset: Int = 0
  ) throws -> [RunHeader] {
    let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    let sql = """
      SELECT id, scenario, variant, label, commit_hash, is_dirty, started_ms, state,
        (SELECT count(*) FROM iterations
          WHERE run = runs.key AND NOT is_warmup AND status = 'completed'),
        (SELECT count(*) FROM iterations
          WHERE run = runs.key AND NOT is_warmup AND status != 'completed'),
        (SELECT samples FROM profiles WHERE run = runs.key)
      FROM runs \(filter)
      ORDER BY started_ms DESC, key DESC LIMIT ? OFFSET ?
      """
    let rows = try Row.fetchAll(db, sql: sql, arguments: arguments + [limit ?? -1, offset])
    return try rows.map { row in
      let id: String = try row.decode(atIndex: 0)
      guard let state = RunHeader.State(rawValue: try row.decode(atIndex: 7)) else {
        throw StoreError.damaged(path: path, detail: "run \(id) is in an unknown state")
      }
      return RunHeader(
        id: id, scenario: try row.decode(atIndex: 1), variant: try row.decode(atIndex: 2),
        label: try row.decode(atIndex: 3), commit: try row.decode(atIndex: 4),
        isDirty: try row.decode(atIndex: 5),
        started: Timestamp(milliseconds: try row.decode(atIndex: 6)), state: state,
        completed: try row.decode(atIndex: 8), failed: try row.decode(atIndex: 9),
        samples: try row.decode(atIndex: 10))
    }
  }
}
