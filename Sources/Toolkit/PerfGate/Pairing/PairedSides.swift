public import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics

/// The two sides of a comparison of one scenario, ready to be measured.
public struct PairedSides {
  /// One side.
  public struct Side {
    /// The scenario with its program.
    public let runnable: RunnableScenario
    /// The variant; nil for the default variant.
    let variant: String?

    /// The revision and the variant in words.
    public var title: String {
      let name = variant ?? runnable.scenario.defaultVariant
      return runnable.build.map { "\($0.revision.title), \(name)" } ?? name
    }
  }

  /// The side before the change.
  public let base: Side
  /// The side after the change; its scenario counts for both sides.
  public let candidate: Side
  /// The gating metrics and margins; nil for the scenario's.
  var policy: Scenario.GatePolicy?
  /// Whether the change cannot reach the program, as `BuiltRevisions.isUnreached` decides.
  public var isUnreached = false
  /// The changed lines of the sources; nil if unknown.
  var hunks: SourceHunks?

  /// The number of links of each side; nil for a single one.
  var layouts: Int? {
    candidate.runnable.layouts.isEmpty ? nil : candidate.runnable.layouts.count
  }

  /// The scenario.
  public var scenario: Scenario { candidate.runnable.scenario }

  /// The gating metrics with the counted ones.
  var fullGate: Scenario.GatePolicy { policy ?? scenario.gate }

  /// The gating metrics of the pairs.
  var gate: Scenario.GatePolicy { fullGate.timed }

  /// The metrics and functions that the change cannot reach; nil for none.
  ///
  /// Two variants run different code, so that the declared controls do not apply.
  var controls: Scenario.Controls? {
    base.variant != candidate.variant || scenario.controls.isEmpty ? nil : scenario.controls
  }

  /// Returns the definition of a metric of the scenario.
  ///
  /// - Throws: `Failure` for wrong usage if the program never has the metric.
  func definition(of metric: String) throws -> MetricDefinition {
    if candidate.runnable.worker == nil, MetricCatalog.neverOfCommands.contains(metric) {
      throw Failure(
        "a command never has '\(metric)', which is read inside a worker. Pass --metric with wall, "
          + "cpu.total, rss.peak or one of the command's 'metrics'.", status: .usage)
    }
    let catalog = candidate.runnable.checked.catalog
    guard let definition = catalog[metric] else {
      throw Failure(
        "there is no metric '\(metric)'" + NearestName.ending(for: metric, among: catalog.names)
          + " 'perfkit list metrics' lists all metrics.", status: .usage)
    }
    return definition
  }

  /// The names of the gating metrics.
  public var gating: [String] {
    let catalog = candidate.runnable.checked.catalog
    return GatingMetrics.names(
      gate, budgets: scenario.budgets, definitions: catalog.names.compactMap { catalog[$0] })
  }
}

extension Measuring {
  /// Returns two variants of one scenario as the sides of a comparison.
  ///
  /// - Parameters:
  ///   - reference: The name of the scenario or the path of its file.
  ///   - base: The base's variant.
  ///   - candidate: The candidate's variant.
  /// - Returns: Both sides, ready to be measured.
  /// - Throws: `ScenarioError` or `RunnerError`.
  public func sides(of reference: String, variants base: String, _ candidate: String) throws
    -> PairedSides
  {
    let runnable = try runnable(reference)
    for variant in [base, candidate] { try check(runnable, variant: variant) }
    return PairedSides(
      base: .init(runnable: runnable, variant: base),
      candidate: .init(runnable: runnable, variant: candidate))
  }
}
