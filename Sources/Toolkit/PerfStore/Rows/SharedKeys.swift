internal import GRDB
internal import PerfModel

/// Keys and texts that runs share, and their statements, valid in one transaction.
final class SharedKeys {
  /// The keys by the metric's name.
  var metrics: [String: Int64] = [:]
  var definitions: [MetricDefinition: Int64] = [:]
  /// The latest list of definitions with their keys; the runs of a scenario have the same list.
  var list: (definitions: [MetricDefinition], keys: [Int64]) = ([], [])
  /// The metrics of the latest launch.
  var metricList = MetricList([]) { didSet { latestInsertion = nil } }
  /// The greatest key of a launch; nil until it is needed.
  private var latestLaunch: Int64?
  /// The commands as JSON.
  var commands: [[String]: String] = [:]

  /// A table with its columns, and a number of rows.
  private struct Target: Hashable {
    let text: String
    let rows: Int
  }

  private var statements: [Target: Statement] = [:]
  /// The statement of `metricList`; nil until a second launch has the same metrics.
  private var latestInsertion: Statement?
  /// The statements of lists of metrics by their texts.
  private var insertions: [String: Statement] = [:]

  /// The lists of metrics whose statements are kept: runs of one scenario have one or two.
  private static let mostInsertions = 32

  /// The rows of one statement: enough to make its own cost small, and below SQLite's limit of values.
  private static let mostRows = 64

  /// Inserts rows, many by one statement.
  ///
  /// - Parameters:
  ///   - target: The table with its columns.
  ///   - values: The values of all rows, one row after the other.
  ///   - db: The database.
  /// - Throws: `DatabaseError`.
  func insertRows(into target: String, _ values: [DatabaseValue], _ db: Database) throws {
    let columns = Database.columns(of: target)
    for start in stride(from: 0, to: values.count, by: columns * Self.mostRows) {
      let part = values[start..<min(start + columns * Self.mostRows, values.count)]
      let statement = try statement(Target(text: target, rows: part.count / columns), db)
      statement.setUncheckedArguments(StatementArguments(part))
      try statement.execute()
    }
  }

  /// Reserves keys for launches, so that they need not be read after the insertion.
  ///
  /// - Returns: The key before the first reserved one.
  /// - Throws: `DatabaseError`.
  func reserveKeys(ofLaunches count: Int, _ db: Database) throws -> Int64 {
    let latest =
      try latestLaunch ?? Int64.fetchOne(db, sql: "SELECT max(key) FROM iterations") ?? 0
    latestLaunch = latest &+ Int64(count)
    return latest
  }

  /// Inserts the values of a launch if it has the metrics of the launch before.
  ///
  /// - Returns: Whether it has them.
  /// - Throws: `DatabaseError`.
  func insertValues(
    of metrics: [String: Double], iteration: Int64, _ db: Database
  ) throws -> Bool {
    guard let arguments = metricList.arguments(of: metrics, iteration: iteration) else {
      return false
    }
    let statement = try latestInsertion ?? insertion(metricList.statement, db)
    latestInsertion = statement
    statement.setUncheckedArguments(StatementArguments(arguments))
    try statement.execute()
    return true
  }

  private func insertion(_ text: String, _ db: Database) throws -> Statement {
    if let statement = insertions[text] { return statement }
    if insertions.count == Self.mostInsertions { insertions = [:] }
    let statement = try db.makeStatement(sql: text)
    insertions[text] = statement
    return statement
  }

  private func statement(_ target: Target, _ db: Database) throws -> Statement {
    if let statement = statements[target] { return statement }
    let row = "(" + Database.places(of: target.text) + ")"
    let rows = Array(repeating: row, count: target.rows).joined(separator: ", ")
    let statement = try db.cachedStatement(sql: "INSERT INTO \(target.text) VALUES \(rows)")
    statements[target] = statement
    return statement
  }
}

extension Database {
  /// Inserts a row with a cached statement; `target` is the table with its columns.
  func insertRow(into target: String, _ values: StatementArguments) throws {
    try cachedStatement(sql: "INSERT INTO \(target) VALUES (\(Self.places(of: target)))")
      .execute(arguments: values)
  }

  /// Returns the number of columns of a table with its columns.
  fileprivate static func columns(of target: String) -> Int {
    target.utf8.count { $0 == UInt8(ascii: ",") } + 1
  }

  /// Returns a placeholder for each column of a table with its columns.
  fileprivate static func places(of target: String) -> String {
    Array(repeating: "?", count: columns(of: target)).joined(separator: ", ")
  }

  /// Inserts a row for each item; the first columns are the owner's key and the position.
  func insertList<Item>(
    into target: String, _ owner: Int64, _ items: [Item],
    _ values: (Item) throws -> StatementArguments
  ) throws {
    for (position, item) in items.enumerated() {
      try insertRow(into: target, [owner, position] + values(item))
    }
  }

  /// Returns the key of the row with these values, which is inserted if it is missing.
  func key(
    in target: String, where condition: String, _ values: StatementArguments
  ) throws -> Int64 {
    let table = target.prefix { $0 != " " }
    let select = try cachedStatement(sql: "SELECT key FROM \(table) WHERE \(condition)")
    if let key = try Int64.fetchOne(select, arguments: values) { return key }
    try insertRow(into: target, values)
    return lastInsertedRowID
  }
}
