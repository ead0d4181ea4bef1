public import PerfModel
public import PerfRunner

/// A run before its launches are made.
public struct RunDraft {
  let id: String
  let started: Timestamp
  let plan: MeasurementPlan
  let label: String?
  let command: [String]
  let catalog: MetricCatalog
  let environment: Environment

  /// Creates a draft.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - started: The time of its begin.
  ///   - plan: The plan of its launches.
  ///   - label: The label, or nil.
  ///   - command: The arguments of the command line.
  ///   - catalog: The metrics that launches may have.
  ///   - environment: The facts of the machine and the build.
  public init(
    id: String, started: Timestamp, plan: MeasurementPlan, label: String?, command: [String],
    catalog: MetricCatalog, environment: Environment
  ) {
    self.id = id
    self.started = started
    self.plan = plan
    self.label = label
    self.command = command
    self.catalog = catalog
    self.environment = environment
  }

  /// Returns the run with launches, without a profile.
  func run(launches: [Launch]) -> Run {
    run(
      RunOutcome(
        launches: launches, profile: nil, warnings: [], notes: [:], wasInterrupted: false))
  }

  /// Returns the run with its outcome.
  func run(_ outcome: RunOutcome) -> Run {
    var facts = environment
    facts[.dataset] = outcome.notes["dataset"] ?? facts[.dataset]
    var names = Set(
      outcome.launches.flatMap(\.metrics.keys) + plan.scenario.budgets.map(\.metric)
        + plan.scenario.gate.metrics.keys)
    if plan.conditions.jetsamLimit != nil { names.insert(MetricName.crashRate) }
    let definitions = MetricCatalog.standardDefinitions.filter { names.contains($0.name) }
    let standard = Set(definitions.map(\.name))
    let counters = catalog.names.filter { names.contains($0) && !standard.contains($0) }
    return Run(
      id: id, scenario: plan.scenario.name, variant: plan.variant, label: label, started: started,
      seed: plan.seed, parameters: plan.parameters, command: command, environment: facts,
      definitions: definitions + counters.compactMap { catalog[$0] }, launches: outcome.launches,
      budgets: plan.scenario.budgets, profile: outcome.profile, warnings: outcome.warnings,
      wasInterrupted: outcome.wasInterrupted)
  }
}
