public import PerfModel
internal import PerfProfile
public import PerfRunner
public import PerfStore

/// A run before its launches are made.
public struct RunDraft {
  let id: String
  let started: Timestamp
  let plan: MeasurementPlan
  let label: String?
  let command: [String]
  let catalog: MetricCatalog
  let environment: Environment
  /// The secrets that are not stored.
  public var redaction = Redaction.none

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

  /// Makes the launches and stores each one when it ends.
  ///
  /// - Parameters:
  ///   - workload: The worker's description of the workload; nil for a command.
  ///   - workspace: The surroundings of the measurement.
  ///   - store: Receives each launch as soon as it has ended.
  ///   - isOutOfTime: Whether no further launch may start.
  ///   - observe: Called with each event.
  /// - Returns: The stored run, which may have been interrupted. A run without launches is not stored.
  /// - Throws: `RunnerError`, `StoreError` or `RevisionError.notWritable`.
  public func measure(
    _ workload: WorkerDescription.Workload?, in workspace: Workspace, into store: RunStore,
    isOutOfTime: @escaping @Sendable () -> Bool = { false },
    observe: (RunEvent) -> Void = { _ in }
  ) throws -> Run {
    var hasBegun = false
    let symbols = SymbolCache(
      load: store.readSymbols(keys:visit:), change: store.changeSymbols(keys:change:))
    let outcome = try launch(
      workload, in: workspace, symbols: symbols, isOutOfTime: isOutOfTime
    ) { event in
      switch event {
      case .launching where !hasBegun:
        // The run is stored at its first launch: a failed setup leaves no run.
        try store.begin(run(launches: []))
        hasBegun = true
      case .launched(let launch): try store.append(redaction(launch), to: id)
      default: break
      }
      // A launch that is displayed is stored already.
      observe(event)
    }
    let made = run(outcome)
    if hasBegun { try store.finish(made) }
    return made
  }

  /// Makes the launches without storing them.
  func unstored(
    _ workload: WorkerDescription.Workload?, in workspace: Workspace, observe: (RunEvent) -> Void
  ) throws -> [Launch] {
    try launch(workload, in: workspace, symbols: nil, observe: observe).launches
  }

  private func launch(
    _ workload: WorkerDescription.Workload?, in workspace: Workspace, symbols: SymbolCache?,
    isOutOfTime: @escaping @Sendable () -> Bool = { false }, observe: (RunEvent) throws -> Void
  ) throws -> RunOutcome {
    let scratch = try ScratchFolder(plan.scratchDirectory)
    defer { scratch.remove() }
    return try ScenarioRunner(
      plan: plan, workload: workload, isCancelled: workspace.isCancelled, isOutOfTime: isOutOfTime
    ).run(symbols: symbols, symbolication: workspace.symbolication, observe: observe)
  }

  func run(launches: [Launch]) -> Run {
    run(RunOutcome(launches: launches))
  }

  func run(_ outcome: RunOutcome) -> Run {
    var facts = environment
    facts[.dataset] = outcome.notes["dataset"] ?? facts[.dataset]
    var names = Set(
      outcome.launches.flatMap(\.metrics.keys) + plan.budgets.map(\.metric)
        + plan.scenario.gate.metrics.keys)
    if plan.jetsamLimit != nil { names.insert(MetricName.crashRate) }
    let definitions = MetricCatalog.standardDefinitions.filter { names.contains($0.name) }
    let standard = Set(definitions.map(\.name))
    let counters = catalog.names.filter { names.contains($0) && !standard.contains($0) }
    let run = Run(
      id: id, scenario: plan.scenario.name, variant: plan.variant, label: label, started: started,
      seed: plan.seed, parameters: plan.parameters, command: command, environment: facts,
      definitions: definitions + counters.compactMap { catalog[$0] }, launches: outcome.launches,
      budgets: plan.budgets, profile: outcome.profile, work: outcome.work,
      warnings: outcome.warnings, wasInterrupted: outcome.wasInterrupted)
    return redaction(run)
  }
}

extension MeasurementPlan {
  /// Returns the facts of the machine and of a worker (nil for a command) before the measurement.
  public func environment(of worker: WorkerDescription?, in workspace: Workspace) -> Environment {
    var facts = workspace.environment()
    facts[.perfkitVersion] = workspace.version
    facts[.injectors] = injectors.isEmpty ? nil : injectors.joined(separator: ", ")
    if let worker {
      facts[.toolchain] = "Swift \(worker.compiler)"
      facts[.configuration] = worker.configuration
    }
    return facts
  }
}
