internal import PerfModel

/// A metric that a file names, with what the file takes it to be.
struct MetricReference: Hashable {
  let name: String
  let location: SourceLocation
  /// The unit that is given to it, or nil.
  let unit: Unit?
  /// Where that unit stands.
  let unitLocation: SourceLocation
  /// Whether it is to decide something, for which one direction must be better.
  let isGating: Bool

  /// Checks the reference against what is known.
  ///
  /// - Parameters:
  ///   - catalog: The metrics that are known.
  ///   - isComplete: Whether a name that is not in the catalog is wrong; before the worker has told
  ///     its counters it may be one of them.
  /// - Throws: `ScenarioError.content` when it is unknown, has another unit, or cannot gate.
  func check(in catalog: MetricCatalog, isComplete: Bool) throws(ScenarioError) {
    guard let definition = catalog[name] else {
      guard isComplete else { return }
      throw .content(location, .unknownMetric(name, known: catalog.names))
    }
    if isGating, definition.direction == .neutral {
      throw .content(location, .neutralMetric(name))
    }
    if let unit, let problem = definition.problem(with: unit) {
      throw .content(unitLocation, problem)
    }
  }
}
