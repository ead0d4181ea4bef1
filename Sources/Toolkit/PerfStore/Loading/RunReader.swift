internal import Foundation
internal import GRDB
internal import PerfModel

/// Reads a run row by row.
struct RunReader {
  let db: Database
  let path: String
  let id: String
  let key: Int64
  let contents: RunContents
  /// The only metric whose values are wanted; nil for all.
  var metric: String?

  func run() throws -> Run {
    let sql = """
      SELECT scenario, variant, label, started_ms, seed, command, state FROM runs WHERE key = ?
      """
    guard let row = try Row.fetchOne(db, sql: sql, arguments: [key]) else {
      throw StoreError.unknownRun(id: id)
    }
    let isFinished = row[6] == RunHeader.State.finished.rawValue
    let iterations = try IterationReader(reader: self).iterations()
    let seed: Int64 = row[4]
    return Run(
      id: id, scenario: row[0], variant: row[1], label: row[2],
      started: Timestamp(milliseconds: row[3]), seed: UInt64(bitPattern: seed),
      parameters: try parameters(), command: try command(row[5]), environment: try environment(),
      definitions: try definitions(
        usedBy: row[6] == RunHeader.State.running.rawValue ? iterations : nil),
      iterations: iterations, budgets: try budgets(),
      profile: contents.contains(.profile) ? try ProfileReader(reader: self).profile() : nil,
      warnings: try warnings(), wasInterrupted: !isFinished)
  }

  /// Returns the error of a part of the run that makes no sense.
  func damaged(_ what: String) -> StoreError {
    .damaged(path: path, detail: "run \(id): \(what)")
  }

  /// Runs a decoder, and says which part of the run it failed on.
  func decode<Value>(_ what: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as BlobError {
      throw damaged("\(what) cannot be read: \(error)")
    } catch is DecodingError {
      throw damaged("\(what) is no JSON of its kind")
    }
  }

  private func command(_ text: String) throws -> [String] {
    try decode("the command") {
      try JSONText.decode(text)
    }
  }

  private func parameters() throws -> Parameters {
    let sql = "SELECT name, kind, value FROM parameters WHERE run = ?"
    let rows = try Row.fetchAll(db, sql: sql, arguments: [key])
    var parameters: Parameters = [:]
    for row in rows {
      guard let value = Self.parameter(kind: row[1], row[2]) else {
        throw damaged("a parameter has another type than it says")
      }
      parameters[row[0]] = value
    }
    return parameters
  }

  private static func parameter(kind: String, _ stored: DatabaseValue) -> ParameterValue? {
    switch kind {
    case "int": return Int.fromDatabaseValue(stored).map { .int($0) }
    case "bool": return Bool.fromDatabaseValue(stored).map { .bool($0) }
    case "string": return String.fromDatabaseValue(stored).map { .string($0) }
    // SQLite keeps NaN as NULL.
    case "double": return .double(Double.fromDatabaseValue(stored) ?? .nan)
    default: return nil
    }
  }

  private func environment() throws -> Environment {
    let rows = try Row.fetchAll(
      db, sql: "SELECT fact, value FROM environments WHERE run = ?", arguments: [key])
    let facts = rows.map { row -> (String, String) in (row[0], row[1]) }
    return Environment(facts: Dictionary(facts) { first, _ in first })
  }

  /// The definitions in order; of an unfinished run those of the metrics that its launches have.
  private func definitions(usedBy iterations: [Iteration]?) throws -> [MetricDefinition] {
    let sql = """
      SELECT metrics.name, dimension, direction, scale, is_deterministic, summary
      FROM run_definitions
      JOIN definitions ON definitions.key = definition
      JOIN metrics ON metrics.key = metric
      WHERE run = ? ORDER BY position
      """
    let used = iterations.map { Set($0.flatMap(\.metrics.keys)) }
    return try Row.fetchAll(db, sql: sql, arguments: [key]).compactMap { row in
      let name: String = row[0]
      guard used?.contains(name) ?? true else { return nil }
      guard let dimension = Dimension(rawValue: row[1]),
        let direction = Direction(rawValue: row[2]),
        let scale = MetricScale(rawValue: row[3])
      else { throw damaged("the definition of metric \(name) is unknown") }
      return MetricDefinition(
        name: name, dimension: dimension, direction: direction, scale: scale,
        isDeterministic: row[4], summary: row[5])
    }
  }

  private func budgets() throws -> [Budget] {
    let sql = """
      SELECT metric, statistic, percentile, comparison, base_limit, unit FROM budgets
      WHERE run = ? ORDER BY position
      """
    return try Row.fetchAll(db, sql: sql, arguments: [key]).map { row in
      guard let statistic = Self.statistic(row[1], percentile: row[2]),
        let comparison = Budget.Comparison(rawValue: row[3]),
        let unit = Unit.named(row[5])
      else { throw damaged("the budget of \(row[0] as String) is unknown") }
      return Budget(
        metric: row[0], statistic: statistic, comparison: comparison,
        limit: Quantity(baseValue: row[4], unit: unit))
    }
  }

  /// Returns a statistic by its stored name; nil for none that is known.
  static func statistic(_ name: String, percentile: Double?) -> Budget.Statistic? {
    switch name {
    case "min": .min
    case "mean": .mean
    case "max": .max
    default: percentile.map(Budget.Statistic.percentile)
    }
  }

  private func warnings() throws -> [RunWarning] {
    let sql = "SELECT code, message, remedy FROM warnings WHERE run = ? ORDER BY position"
    return try Row.fetchAll(db, sql: sql, arguments: [key]).map { row in
      RunWarning(code: row[0], message: row[1], remedy: row[2])
    }
  }
}
