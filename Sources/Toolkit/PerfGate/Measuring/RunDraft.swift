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
    let scratch = try ScratchFolder(plan.scratchDirectory)
    guard !scratch.isTaken else { throw isInUse }
    defer { scratch.remove() }
    if earlier != nil, try store.reopen(id) != plan.made { throw isInUse }
    var hasBegun = earlier != nil
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
      case .launched(let launch) where !plan.made.contains(launch.index):
        try store.append(redaction(launch), to: id)
      default: break
      }
      // A launch that is displayed is stored already.
      observe(event)
    }
    let made = run(earlier.map { outcome.continuing($0, at: workspace.now()) } ?? outcome)
    if hasBegun { try store.finish(made) }
    return made
  }

  /// Makes the launches without storing them.
  func unstored(
    _ workload: WorkerDescription.Workload?, in workspace: Workspace, observe: (RunEvent) -> Void
  ) throws -> [Launch] {
    let scratch = try ScratchFolder(plan.scratchDirectory)
    defer { scratch.remove() }
    return try launch(workload, in: workspace, symbols: nil, observe: observe).launches
  }

  private func launch(
    _ workload: WorkerDescription.Workload?, in workspace: Workspace, symbols: SymbolCache?,
    isOutOfTime: @escaping @Sendable () -> Bool = { false }, observe: (RunEvent) throws -> Void
  ) throws -> RunOutcome {
    try ScenarioRunner(
      plan: plan, workload: workload, isCancelled: workspace.isCancelled, isOutOfTime: isOutOfTime
    ).run(symbols: symbols, symbolication: workspace.symbolication, observe: observe)
  }

  /// Returns the draft of the launches that a run lacks.
  ///
  /// - Parameters:
  ///   - run: The run as it is stored.
  ///   - now: The start of the session.
  /// - Returns: The draft with the run's id, label, command line and environment.
  func completing(_ run: Run, at now: Timestamp) -> RunDraft {
    var plan = plan
    let folder = (plan.scratchDirectory as NSString).deletingLastPathComponent
    plan.scratchDirectory = "\(folder)/\(run.id)"
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

extension RunOutcome {
  /// Returns the outcome of a whole run after a session that completed it.
  ///
  /// - Parameters:
  ///   - run: The run as the earlier session left it.
  ///   - now: The end of this session.
  /// - Returns: The launches, the profile and the warnings of both sessions.
  fileprivate func continuing(_ run: Run, at now: Timestamp) -> RunOutcome {
    let kept = run.launches.filter { $0.status != .interrupted }
    let both = joinedProfile(after: run, kept)
    var added: [RunWarning] = []
    if let first = launches.map(\.index).min(), let last = launches.map(\.index).max() {
      added.append(
        RunWarning(
          code: RunWarning.resumedCode,
          message: "the run was cut off; a later session at \(now.short) made "
            + (first == last
              ? "launch \(first + 1)" : "the launches from \(first + 1) to \(last + 1)"),
          remedy:
            "The machine may have been in another state: compare the launches of both sessions."))
    }
    if let covered = both?.audit.launches {
      let lost = kept.count { !$0.isWarmup && !covered.contains($0.index) }
      added.append(
        RunWarning(
          code: "run.samples_lost",
          message:
            "the samples of \(Wording.count(lost, "launch", "launches")) were lost when the run was "
            + "cut off; the profile covers the others"))
    }
    return RunOutcome(
      launches: (kept + launches).sorted { $0.index < $1.index }, profile: both, work: work,
      warnings: (run.warnings + warnings + added).uniqued(), notes: notes,
      wasInterrupted: wasInterrupted)
  }

  /// Returns the profile of both sessions, whose audit names its launches if the samples of others are lost.
  private func joinedProfile(after run: Run, _ kept: [Launch]) -> Profile? {
    let before = Set(kept.filter { !$0.isWarmup }.map(\.index))
    let made = Set(launches.filter { !$0.isWarmup }.map(\.index))
    guard let old = run.profile else {
      return before.isEmpty ? profile : profile?.covering(made)
    }
    let covered = old.audit.launches ?? before
    let both = profile.map { old.merged(with: $0) } ?? old
    let all = covered.union(profile == nil ? [] : made)
    return all == before.union(made) ? both : both.covering(all)
  }
}
