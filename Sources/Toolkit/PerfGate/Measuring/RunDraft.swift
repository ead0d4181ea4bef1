internal import Foundation
public import PerfModel
internal import PerfProfile
internal import PerfReport
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
  var environment: Environment
  /// The run as an earlier session left it; nil for a new run.
  private(set) var earlier: Run?
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
    let session = try RunSession(
      self, workload, in: workspace, into: store, isOutOfTime: isOutOfTime, observe: observe)
    defer { session.close() }
    while try session.makeNext(observe) {}
    return try session.finish(observe)
  }

  /// Makes the launches without storing them.
  func unstored(
    _ workload: WorkerDescription.Workload?, in workspace: Workspace, observe: (RunEvent) -> Void
  ) throws -> [Launch] {
    let scratch = try ScratchFolder(plan.scratchDirectory)
    defer { scratch.remove() }
    return try runner(workload, in: workspace).run(
      symbols: nil, symbolication: workspace.symbolication, observe: observe
    ).launches
  }

  func runner(
    _ workload: WorkerDescription.Workload?, in workspace: Workspace,
    isOutOfTime: @escaping @Sendable () -> Bool = { false }
  ) -> ScenarioRunner {
    ScenarioRunner(
      plan: plan, workload: workload, isCancelled: workspace.isCancelled, isOutOfTime: isOutOfTime)
  }

  /// Returns the folder of the temporary files of another run in the same store.
  func scratchDirectory(of run: String) -> String {
    "\((plan.scratchDirectory as NSString).deletingLastPathComponent)/\(run)"
  }

  /// Returns the draft of the launches that a run lacks.
  ///
  /// - Parameters:
  ///   - run: The run as it is stored.
  ///   - now: The start of the session.
  /// - Returns: The draft with the run's id, label, command line and environment.
  func completing(_ run: Run, at now: Timestamp) -> RunDraft {
    var plan = plan
    plan.scratchDirectory = scratchDirectory(of: run.id)
    plan.made = Set(run.launches.filter { $0.status != .interrupted }.map(\.index))
    plan.sessionOffset =
      UInt64(max(0, now.milliseconds - run.started.milliseconds)) * 1_000_000
    var draft = RunDraft(
      id: run.id, started: run.started, plan: plan, label: run.label, command: run.command,
      catalog: catalog, environment: run.environment)
    draft.earlier = run
    draft.redaction = redaction
    return draft
  }

  /// The error of a run that another process measures, or has changed.
  var isInUse: Failure {
    earlier == nil
      ? Failure("another process measures a run with the id \(id). Repeat the command.")
      : Failure(
        "run \(id) cannot be resumed: another process measures it. Wait until that has ended.")
  }

  /// A warning if the program is no longer the one with which the run began.
  var changedProgram: RunWarning? {
    guard let identity = environment[.buildIdentity],
      ProgramImage.fingerprint(ofFile: plan.program[0]) != identity
    else { return nil }
    let name = (plan.program[0] as NSString).lastPathComponent
    return RunWarning(
      code: RunWarning.changedCode,
      message: "'\(name)' changed during the run: its launches are not of one program",
      remedy: "Repeat the command, and build nothing meanwhile.")
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
  /// The scenario and the variant, for the display.
  var title: String { "\(scenario.name):\(variant)" }

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
