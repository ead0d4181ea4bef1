internal import GRDB

/// The metrics of a launch in the order of their keys.
///
/// Launches of a scenario usually have the same metrics. Their keys are then part of a statement, which binds one value
/// for each row instead of three.
struct MetricList {
  /// The names and keys.
  let metrics: [(name: String, key: Int64)]

  /// The rows of one statement; below SQLite's limit of values.
  private static let mostRows = 500

  /// Creates a list of metrics in ascending order of their keys.
  init(_ metrics: [(name: String, key: Int64)]) { self.metrics = metrics }

  /// Returns the values of `statement`; nil for no values, other metrics or too many of them.
  func arguments(of values: [String: Double], iteration: Int64) -> [DatabaseValue]? {
    guard !metrics.isEmpty, values.count == metrics.count, metrics.count <= Self.mostRows else {
      return nil
    }
    var arguments: [DatabaseValue] = []
    arguments.reserveCapacity(metrics.count + 1)
    arguments.append(iteration.databaseValue)
    for metric in metrics {
      guard let value = values[metric.name] else { return nil }
      // SQLite stores NaN as NULL, which is read as NaN.
      arguments.append(value.databaseValue)
    }
    return arguments
  }

  /// The insertion of a launch's values; its arguments are the key of the launch and the values.
  var statement: String {
    let rows = metrics.map { "(?1, \($0.key), ?)" }.joined(separator: ", ")
    return "INSERT INTO metric_values (iteration, metric, value) VALUES \(rows)"
  }
}
