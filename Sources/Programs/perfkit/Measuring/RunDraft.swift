internal import PerfModel
internal import PerfRunner

/// A run while it is made: all that is known before its launches.
struct RunDraft {
  let id: String
  let started: Timestamp
  let plan: MeasurementPlan
  let label: String?
  let command: [String]
  let catalog: MetricCatalog
  let environment: Environment

  /// The run with some launches and nothing else.
  func run(launches: [Launch]) -> Run {
    run(
      RunOutcome(
        launches: launches, profile: nil, warnings: [], notes: [:], wasInterrupted: false))
  }

  /// The run with all that came of it.
  func run(_ outcome: RunOutcome) -> Run {
    var facts = environment
    facts[.dataset] = outcome.notes["dataset"] ?? facts[.dataset]
    var names = Set(
      outcome.launches.flatMap(\.metrics.keys) + plan.scenario.budgets.map(\.metric)
        + plan.scenario.gate.metrics.keys)
    if plan.conditions.jetsamLimit != nil { names.insert(MetricName.crashRate) }
    let definitions = MetricCatalog.standardDefinitions.filter { names.contains($0.name) }
    let standard = Set(definitions.map(\.name))
    let own = catalog.names.filter { names.contains($0) && !standard.contains($0) }
    return Run(
      id: id, scenario: plan.scenario.name, variant: plan.variant, label: label, started: started,
      seed: plan.seed, parameters: plan.parameters, command: command, environment: facts,
      definitions: definitions + own.compactMap { catalog[$0] }, launches: outcome.launches,
      budgets: plan.scenario.budgets, profile: outcome.profile, warnings: outcome.warnings,
      wasInterrupted: outcome.wasInterrupted)
  }
}
