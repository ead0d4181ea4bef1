internal import PerfModel
internal import PerfStatistics

/// The renderer of rows as comma-separated values (RFC 4180, with newline as line ending).
///
/// Every field reads back unchanged. So a label that begins with `=`, `+` or `@` has no prefix,
/// although spreadsheets may interpret it as a formula: scripts would find another label than the
/// store contains.
public struct CSVRenderer: Sendable {
  private static let signs = Set(",\"\n\r".utf8)

  /// Creates a renderer.
  public init() {}

  /// Returns a table with its headings.
  public func render(_ table: Table) -> String {
    render(header: table.columns.map(\.title), rows: table.rows.map { $0.map(\.text) })
  }

  func render(header: [String], rows: [[String]]) -> String {
    ([header] + rows).map { $0.map(quoted).joined(separator: ",") }.joined(separator: "\n") + "\n"
  }

  private func quoted(_ field: String) -> String {
    field.utf8.contains(where: Self.signs.contains)
      ? "\"" + field.escaping(["\"": "\"\""]) + "\"" : field
  }

  /// Returns one row per launch and metric, with values in base units and all digits.
  public func render(_ documents: [RunDocument]) -> String {
    render(
      header: [
        "run", "scenario", "variant", "launch", "warmup", "status", "metric", "unit", "value",
      ], rows: documents.flatMap { Self.rows(of: $0.run) })
  }

  private static func rows(of run: Run) -> [[String]] {
    let definitions = Dictionary(
      run.definitions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return run.launches.flatMap { launch -> [[String]] in
      let common = [
        run.id, run.scenario, run.variant, "\(launch.index)",
        "\(launch.isWarmup)", launch.status.description,
      ]
      return launch.metrics.sorted { $0.key < $1.key }.map { name, value in
        common + [name, definitions[name]?.baseUnit.symbol ?? "", number(value)]
      }
    }
  }

  /// Returns one row per metric, with values in base units; the last fields identify the comparison.
  public func render(_ documents: [ComparisonDocument]) -> String {
    render(
      header: [
        "metric", "unit", "scale", "base", "candidate", "ratio", "estimate", "low", "high", "p",
        "n_base", "n_candidate", "margin", "gating", "verdict", "comparison", "scenario",
        "base_variant", "candidate_variant", "base_run", "candidate_run",
      ], rows: documents.flatMap { Self.rows(of: $0.comparison) })
  }

  private static func rows(of comparison: Comparison) -> [[String]] {
    let (base, candidate) = (comparison.base, comparison.candidate)
    let subject = [
      comparison.id, candidate.scenario, base.variant, candidate.variant, base.run, candidate.run,
    ]
    return (comparison.metrics + (comparison.work?.metrics ?? [])).map { metric -> [String] in
      [
        metric.definition.name, metric.definition.baseUnit.symbol,
        metric.definition.scale.rawValue, number(metric.base), number(metric.candidate),
        number(metric.ratio), number(metric.estimate), number(metric.low), number(metric.high),
        number(metric.p), "\(metric.n.base)", "\(metric.n.candidate)", number(metric.margin),
        "\(metric.isGating)", metric.verdict.rawValue,
      ] + subject
    }
  }

  /// Returns one row per commit, with values in base units.
  public func render(_ document: HistoryDocument) -> String {
    let history = document.history
    let rows = history.points.enumerated().map { index, point -> [String] in
      let change = history.changes.first { $0.index == index }
      return [
        point.commit ?? "", "\(point.isDirty)", point.started.description,
        point.runs.joined(separator: " "), Self.number(point.value), Self.number(point.low),
        Self.number(point.high), history.definition.baseUnit.symbol,
        Self.number(change?.size.value), Self.number(change?.p),
      ]
    }
    return render(
      header: [
        "commit", "dirty", "started", "runs", "value", "low", "high", "unit", "change", "p",
      ], rows: rows)
  }

  /// Returns a number that reads back exactly, integers without a point; empty for a missing value.
  private static func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }
}
