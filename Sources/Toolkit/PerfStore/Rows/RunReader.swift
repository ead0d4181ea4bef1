internal import Foundation
internal import GRDB
internal import PerfModel

struct RunReader {
  let db: Database
  let path: String
  let id: String
  let key: Int64
  let contents: RunContents
  /// The only metric to load; nil for all.
  var metric: String?
  /// Names and definitions of metrics, shared with other runs.
  var known = KnownMetrics()

  func run() throws -> Run {
    let sql = """
      SELECT scenario, variant, label, started_ms, seed, command, state FROM runs WHERE key = ?
      """
    guard let row = try Row.fetchOne(db, sql: sql, arguments: [key]) else {
      throw StoreError.unknownRun(id: id)
    }
    let state: String = try row.decode(atIndex: 6)
    let launches = try LaunchReader(reader: self).launches()
    let seed: Int64 = try row.decode(atIndex: 4)
    let text: String = try row.decode(atIndex: 5)
    let command: [String] = try decode("the command") { try JSONText.decode(text) }
    return Run(
      id: id, scenario: try row.decode(atIndex: 0), variant: try row.decode(atIndex: 1),
      label: try row.decode(atIndex: 2),
      started: Timestamp(milliseconds: try row.decode(atIndex: 3)), seed: UInt64(bitPattern: seed),
      parameters: try parameters(), command: command, environment: try environment(),
      definitions: try definitions(
        usedBy: state == RunHeader.State.running.rawValue ? launches : nil),
      launches: launches, budgets: try budgets(),
      profile: contents.contains(.profile) ? try ProfileReader(reader: self).profile() : nil,
      work: contents.contains(.profile) ? try work() : nil,
      warnings: try warnings(), wasInterrupted: state != RunHeader.State.finished.rawValue)
  }

  /// Calls a closure with each row of a query for the run, using a cached statement.
  func each(_ sql: String, _ visit: (Row) throws -> Void) throws {
    let rows = try Row.fetchCursor(try db.cachedStatement(sql: sql), arguments: [key])
    while let row = try rows.next() { try visit(row) }
  }

  /// Returns an element for each row of a query for the run.
  func rows<Element>(_ sql: String, _ element: (Row) throws -> Element) throws -> [Element] {
    var elements: [Element] = []
    try each(sql) { elements.append(try element($0)) }
    return elements
  }

  /// Returns the error of an invalid part of the run.
  func damaged(_ what: String) -> StoreError {
    .damaged(path: path, detail: "run \(id): \(what)")
  }

  /// Runs a decoder; its errors name the part of the run.
  func decode<Value>(_ what: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as BlobError {
      throw damaged("\(what) cannot be read: \(error)")
    } catch {
      // The parser of JSON and its decoder throw errors of different types.
      throw damaged("\(what) is not the expected JSON")
    }
  }

  private func parameters() throws -> Parameters {
    var parameters: Parameters = [:]
    try each("SELECT name, kind, value FROM parameters WHERE run = ?") { row in
      guard let value = Self.parameter(kind: try row.decode(atIndex: 1), try row.decode(atIndex: 2))
      else {
        throw damaged("the value of a parameter does not have its type")
      }
      let name: String = try row.decode(atIndex: 0)
      parameters[name] = value
    }
    return parameters
  }

  private static func parameter(kind: String, _ stored: DatabaseValue) -> ParameterValue? {
    switch kind {
    case "int": return Int.fromDatabaseValue(stored).map { .int($0) }
    case "bool": return Bool.fromDatabaseValue(stored).map { .bool($0) }
    case "string": return String.fromDatabaseValue(stored).map { .string($0) }
    // SQLite stores NaN as NULL.
    case "double": return .double(Double.fromDatabaseValue(stored) ?? .nan)
    default: return nil
    }
  }

  private func environment() throws -> Environment {
    let sql = "SELECT fact, value FROM environments WHERE run = ?"
    let facts = try rows(sql) { row -> (String, String) in
      (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
    }
    return Environment(facts: Dictionary(facts) { first, _ in first })
  }

  /// Returns the definitions in order; of an unfinished run only the used ones.
  private func definitions(usedBy launches: [Launch]?) throws -> [MetricDefinition] {
    let sql = "SELECT definition FROM run_definitions WHERE run = ? ORDER BY position"
    let keys: [Int64] = try rows(sql) { try $0.decode(atIndex: 0) }
    if keys.contains(where: { known.definitions[$0] == nil }) { try readDefinitions() }
    let used = launches.map { Set($0.flatMap(\.metrics.keys)) }
    return try keys.compactMap { key in
      guard let stored = known.definitions[key], used?.contains(stored.name) ?? true else {
        return nil
      }
      guard let definition = stored.definition else {
        throw damaged("the definition of metric \(stored.name) is unknown")
      }
      return definition
    }
  }

  private func readDefinitions() throws {
    let sql = """
      SELECT definition, metrics.name, dimension, direction, scale, is_deterministic, summary
      FROM run_definitions
      JOIN definitions ON definitions.key = definition
      JOIN metrics ON metrics.key = metric
      WHERE run = ?
      """
    try each(sql) { row in
      let name: String = try row.decode(atIndex: 1)
      var definition: MetricDefinition?
      if let dimension = Dimension(rawValue: try row.decode(atIndex: 2)),
        let direction = Direction(rawValue: try row.decode(atIndex: 3)),
        let scale = MetricScale(rawValue: try row.decode(atIndex: 4))
      {
        definition = MetricDefinition(
          name: name, dimension: dimension, direction: direction, scale: scale,
          isDeterministic: try row.decode(atIndex: 5), summary: try row.decode(atIndex: 6))
      }
      let key: Int64 = try row.decode(atIndex: 0)
      known.definitions[key] = KnownMetrics.Stored(name: name, definition: definition)
    }
  }

  private func budgets() throws -> [Budget] {
    let sql = """
      SELECT metric, statistic, percentile, comparison, base_limit, unit FROM budgets
      WHERE run = ? ORDER BY position
      """
    return try rows(sql) { row in
      let metric: String = try row.decode(atIndex: 0)
      guard
        let statistic = Self.statistic(
          try row.decode(atIndex: 1), percentile: try row.decode(atIndex: 2)),
        let comparison = Budget.Comparison(rawValue: try row.decode(atIndex: 3)),
        let unit = Unit.named(try row.decode(atIndex: 5))
      else { throw damaged("the budget of \(metric) is unknown") }
      return Budget(
        metric: metric, statistic: statistic, comparison: comparison,
        limit: Quantity(baseValue: try row.decode(atIndex: 4), unit: unit))
    }
  }

  static func statistic(_ name: String, percentile: Double?) -> Budget.Statistic? {
    switch name {
    case "min": .min
    case "mean": .mean
    case "max": .max
    default: percentile.map(Budget.Statistic.percentile)
    }
  }

  private func work() throws -> WorkProfile? {
    let texts: [String] = try rows("SELECT payload FROM work WHERE run = ?") {
      try $0.decode(atIndex: 0)
    }
    guard let text = texts.first else { return nil }
    let work: WorkProfile = try decode("the counted work") { try JSONText.decode(text) }
    let count = work.launches.count
    let isWhole = work.functions.allSatisfy { function in
      [function.instructions, function.calls, function.dataMisses, function.branchMisses]
        .allSatisfy { $0 == nil || $0?.count == count }
    }
    guard isWhole else { throw damaged("a function of the counted work lacks launches") }
    return work
  }

  private func warnings() throws -> [RunWarning] {
    let sql = "SELECT code, message, remedy FROM warnings WHERE run = ? ORDER BY position"
    return try rows(sql) {
      .init(
        code: try $0.decode(atIndex: 0), message: try $0.decode(atIndex: 1),
        remedy: try $0.decode(atIndex: 2))
    }
  }
}

/// Names and definitions of metrics by their keys, read once for all runs of one call.
final class KnownMetrics {
  struct Stored {
    let name: String
    /// Nil if a value of the definition is unknown.
    let definition: MetricDefinition?
  }

  var definitions: [Int64: Stored] = [:]
  private var names: [Int64: String]?

  func metricNames(_ db: Database) throws -> [Int64: String] {
    if let names { return names }
    let rows = try Row.fetchAll(db, sql: "SELECT key, name FROM metrics")
    let pairs = try rows.map { row in
      (try row.decode(Int64.self, atIndex: 0), try row.decode(String.self, atIndex: 1))
    }
    // A damaged store may have a key twice.
    let read = Dictionary(pairs) { first, _ in first }
    names = read
    return read
  }
}
