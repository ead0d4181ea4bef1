internal import PerfModel

/// A metric named by a file, with the unit and role that the file assumes.
struct MetricReference: Hashable {
  let name: String
  let location: SourceLocation
  /// The unit that the file uses for it, or nil.
  let unit: Unit?
  let unitLocation: SourceLocation
  /// Whether the metric gates or is a control, so that it needs a better direction.
  let isGating: Bool
  /// The text of a number without a unit, of which `unit` is the count; nil otherwise.
  var bareNumber: String?

  /// Checks the reference.
  ///
  /// - Parameters:
  ///   - catalog: The known metrics.
  ///   - isComplete: Whether a name outside the catalog is an error. It is not as long as the
  ///     worker's counters are unknown.
  /// - Throws: `ScenarioError.content` if the metric is unknown, has another dimension, or cannot
  ///   gate.
  func check(in catalog: MetricCatalog, isComplete: Bool) throws(ScenarioError) {
    guard let definition = catalog[name] else {
      guard isComplete else { return }
      throw .content(location, .unknownMetric(name, known: catalog.names))
    }
    if isGating, definition.direction == .neutral {
      throw .content(location, .neutralMetric(name))
    }
    if let unit, let problem = definition.problem(with: unit) {
      throw .content(
        unitLocation,
        bareNumber.map { .noUnit($0, example: BudgetText.exampleOfLimit) } ?? problem)
    }
  }
}
