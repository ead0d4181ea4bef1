public import PerfModel
internal import PerfStore

/// The criteria that select runs of a hub; without any, all runs.
public struct HubFilter: Hashable, Sendable {
  /// References as in run stores, and ids of comparisons; empty for all runs.
  ///
  /// A run matches one of them.
  public var references: [String] = []
  /// The scenario's name.
  public var scenario: String?
  /// The variant's name.
  public var variant: String?
  /// The label.
  public var label: String?
  /// The name of the machine.
  public var host: String?
  /// The earliest start.
  public var since: Timestamp?
  /// The maximum number of runs, the latest ones.
  public var limit: Int?

  /// Creates a filter without criteria.
  public init() {}
}

/// A filter as SQL.
struct HubCondition {
  private(set) var values: [SQLValue] = []
  private var conditions: [String] = []
  private let limit: Int?

  /// `WHERE`, `ORDER BY` and `LIMIT` of a query on `perfkit.runs`.
  var sql: String {
    (conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
      + " ORDER BY started_ms DESC, id DESC" + (limit.map { " LIMIT \($0)" } ?? "")
  }

  /// Creates the condition of a filter.
  ///
  /// - Throws: `StoreError.invalidReference`.
  init(_ filter: HubFilter) throws {
    limit = filter.limit
    for (column, value) in [
      ("scenario", filter.scenario), ("variant", filter.variant), ("label", filter.label),
      ("host", filter.host),
    ] {
      guard let value else { continue }
      conditions.append("\(column) = \(place(.text(value)))")
    }
    if let since = filter.since {
      conditions.append("started_ms >= \(place(.int(since.milliseconds)))::bigint")
    }
    guard !filter.references.isEmpty else { return }
    let selects = try filter.references.flatMap { try self.selects($0) }
    // A union uses the index of each kind; alternatives in one condition would read all runs.
    conditions.append("id IN (\(selects.joined(separator: " UNION ")))")
  }

  private mutating func place(_ value: SQLValue) -> String {
    values.append(value)
    return "$\(values.count)"
  }

  /// Returns queries of the ids that a reference means.
  private mutating func selects(_ text: String) throws -> [String] {
    switch try RunReference(text) {
    case .latest(let distance):
      return [
        "(SELECT id FROM perfkit.runs ORDER BY started_ms DESC, id DESC LIMIT 1 OFFSET \(distance))"
      ]
    case .named(let kind, let name): return selects(kind, name)
    case .any(let name):
      return RunReference.Kind.allCases.flatMap { selects($0, name) } + [
        "SELECT unnest(runs) FROM perfkit.comparisons WHERE id = \(place(.text(name)))"
      ]
    }
  }

  private mutating func selects(_ kind: RunReference.Kind, _ name: String) -> [String] {
    func runs(_ condition: String) -> [String] {
      ["SELECT id FROM perfkit.runs WHERE \(condition)"]
    }
    if kind == .variant, let colon = name.firstIndex(of: ":") {
      let scenario = place(.text(String(name[..<colon])))
      let variant = place(.text(String(name[name.index(after: colon)...])))
      return runs("scenario = \(scenario) AND variant = \(variant)")
    }
    let value = place(.text(kind == .commit ? name.lowercased() : name))
    switch kind {
    case .run: return runs(begins("id", value, name, atLeast: RunReference.shortestID))
    case .label: return runs("label = \(value)")
    case .baseline: return ["SELECT unnest(runs) FROM perfkit.baselines WHERE name = \(value)"]
    case .commit:
      return runs(begins("commit_hash", value, name, atLeast: RunReference.shortestCommit))
    case .variant: return runs("scenario = \(value)")
    }
  }

  /// Returns the condition that a column begins with a value, or equals one that is too short.
  private func begins(
    _ column: String, _ value: String, _ name: String, atLeast count: Int
  ) -> String {
    // The columns are sorted by bytes, and ~ follows every letter and digit.
    name.count >= count
      ? "\(column) >= \(value) AND \(column) < \(value) || '~'" : "\(column) = \(value)"
  }
}
