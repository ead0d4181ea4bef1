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
  /// The condition of each kind of item that a reference may name; empty without references.
  private var alternatives: [String] = []
  private let limit: Int?

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
    for reference in filter.references {
      let meanings = try meanings(of: reference)
      alternatives += meanings
    }
  }

  /// Returns the query of runs, the latest first.
  ///
  /// - Parameter columns: The columns of `perfkit.runs` with `id`; the answer has one more after them.
  /// - Returns: The statement for `values`.
  func query(_ columns: String) -> String {
    // Each part of a union uses its index. One condition with alternatives, and a join with many ids, read all runs.
    let choices: [[String]] = alternatives.isEmpty ? [[]] : alternatives.map { [$0] }
    let parts = choices.map { choice -> String in
      let all = choice + conditions
      return "SELECT \(columns), started_ms AS began FROM perfkit.runs"
        + (all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND "))
    }
    return parts.joined(separator: " UNION ") + " ORDER BY began DESC, id DESC"
      + (limit.map { " LIMIT \($0)" } ?? "")
  }

  private mutating func place(_ value: SQLValue) -> String {
    values.append(value)
    return "$\(values.count)"
  }

  /// Returns the conditions of the runs that a reference may mean.
  private mutating func meanings(of text: String) throws -> [String] {
    switch try RunReference(text) {
    case .latest(let distance):
      return [
        "id = (SELECT id FROM perfkit.runs ORDER BY started_ms DESC, id DESC LIMIT 1 OFFSET \(distance))"
      ]
    case .named(let kind, let name): return [condition(kind, name)]
    case .any(let name):
      return RunReference.Kind.allCases.map { condition($0, name) } + [
        "id IN (SELECT unnest(runs) FROM perfkit.comparisons WHERE id = \(place(.text(name))))"
      ]
    }
  }

  private mutating func condition(_ kind: RunReference.Kind, _ name: String) -> String {
    if kind == .variant, let colon = name.firstIndex(of: ":") {
      let scenario = place(.text(String(name[..<colon])))
      let variant = place(.text(String(name[name.index(after: colon)...])))
      return "scenario = \(scenario) AND variant = \(variant)"
    }
    let value = place(.text(kind == .commit ? name.lowercased() : name))
    switch kind {
    case .run: return begins("id", value, name, atLeast: RunReference.shortestID)
    case .label: return "label = \(value)"
    case .baseline:
      return "id IN (SELECT unnest(runs) FROM perfkit.baselines WHERE name = \(value))"
    case .commit: return begins("commit_hash", value, name, atLeast: RunReference.shortestCommit)
    case .variant: return "scenario = \(value)"
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
