internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Finds a scenario and its worker and measures variants of it into a store.
struct Measuring {
  /// The options of the command line.
  let options: MeasuringOptions
  /// What every verb knows.
  let global: GlobalOptions
  /// Where the command runs.
  let context: Context
  /// What `--max-time` counts by, for all that it measures.
  let clock: MeasuringClock

  init(
    options: MeasuringOptions, global: GlobalOptions, context: Context,
    clock: MeasuringClock = MeasuringClock()
  ) {
    self.options = options
    self.global = global
    self.context = context
    self.clock = clock
  }

  /// A scenario that can be measured.
  struct Subject {
    /// The scenario with its worker's declarations.
    let checked: CheckedScenario
    /// What the worker says of itself; nil for a command.
    let worker: WorkerDescription?
    /// The absolute path of the program and its arguments.
    let program: [String]
    /// The build that the program is of; nil for what lies beside the command.
    var build: RevisionBuild?
  }

  private var finder: ProgramFinder {
    ProgramFinder(programDirectory: context.programDirectory, environment: context.variables)
  }

  /// The folder of the scenario files.
  var library: ScenarioLibrary {
    ScenarioLibrary(folder: context.absolute(options.scenarios))
  }

  /// Reads the scenario of a name, or of the path of its file.
  func file(_ reference: String) throws -> ScenarioFile { try file(reference, in: library) }

  /// Reads a scenario, finds its worker and checks one against the other.
  func subject(_ reference: String) throws -> Subject {
    let file = try file(reference)
    return try subject(
      file, finder: finder, folder: (file.path as NSString).deletingLastPathComponent)
  }

  /// Reads a scenario by its name in a library, or by the path of its file.
  ///
  /// - Throws: `ScenarioError`, with the nearest name for one that is unknown.
  func file(_ reference: String, in library: ScenarioLibrary) throws(ScenarioError) -> ScenarioFile
  {
    let isPath = reference.contains("/") || reference.hasSuffix(".yml")
    return try library.file(isPath ? context.absolute(reference) : reference)
  }

  /// What finds programs in the folder of a build; the agent stays this command's own.
  func finder(products: String) -> ProgramFinder {
    ProgramFinder(programDirectory: products, environment: context.variables)
  }

  /// `--max-time`; nil without it.
  private var limit: Duration? { options.maxTime.map { .nanoseconds(Int64($0.nanoseconds)) } }

  /// What is left of `--max-time`; nil without it.
  var timeLeft: Duration? { limit.map { $0 - clock.elapsed } }

  /// Whether `--max-time` is over.
  var isOutOfTime: @Sendable () -> Bool {
    let (clock, limit) = (clock, limit)
    return { limit.map { clock.elapsed > $0 } ?? false }
  }

  /// Finds the worker of a scenario and checks one against the other.
  ///
  /// - Parameters:
  ///   - file: The scenario.
  ///   - finder: Knows where programs lie.
  ///   - folder: What relative paths of programs count from.
  ///   - build: The build that they are of, or nil.
  /// - Returns: What can be measured.
  /// - Throws: `ScenarioError` or `RunnerError`.
  func subject(
    _ file: ScenarioFile, finder: ProgramFinder, folder: String, build: RevisionBuild? = nil
  ) throws -> Subject {
    let path = try finder.path(of: file.scenario.worker, directory: folder)
    if case .command(let words) = file.scenario.worker {
      return Subject(
        checked: try file.checked(against: nil), worker: nil,
        program: [path] + words.dropFirst(), build: build)
    }
    let description = try ScenarioRunner.describe(
      program: [path], isCancelled: context.cancellation.isRequested)
    return Subject(
      checked: try file.checked(against: description), worker: description, program: [path],
      build: build)
  }

  /// The variants that are measured: those that were named, or nil alone for a scenario's own.
  static func variants(named names: [String]) -> [String?] {
    names.isEmpty ? [nil] : names.map(Optional.some)
  }

  /// Checks a variant and the options for it, without measuring anything.
  func check(_ subject: Subject, variant: String?) throws {
    try options.checkLabel()
    _ = try subject.checked.settings(
      variant: variant, isQuick: options.quick, overrides: options.parameterOverrides())
    try BudgetEvaluator.validate(
      subject.checked.scenario.budgets,
      iterations: options.iterations ?? subject.checked.scenario.iterations)
  }

  /// Samples a second and thread; 0 for none.
  private func rate(of launch: VariantSettings, _ subject: Subject) -> Int {
    options.noProfile
      ? 0 : options.rate ?? launch.sampleRate ?? subject.checked.scenario.profileRate
  }

  /// Refuses a command that the agent cannot be put into when it is wanted.
  ///
  /// Workers link what speaks to the agent, so that they can be no such program.
  private func checkProfile(of subject: Subject, rate: Int) throws {
    guard subject.worker == nil, rate > 0 || options.allocations,
      let obstacle = PreloadCheck.obstacle(of: subject.program[0])
    else { return }
    let more = options.allocations ? "" : " With --no-profile it is measured all the same."
    throw RunnerError.cannotProfile(
      path: subject.program[0], reason: "\(obstacle)", remedy: obstacle.remedy + more)
  }

  /// Measures one variant, launch by launch into the store.
  ///
  /// - Parameters:
  ///   - subject: The scenario.
  ///   - variant: Nil for the default variant.
  ///   - store: Where each launch is kept as soon as it has ended.
  /// - Returns: The run as it was stored; it may have been interrupted. Without launches it is not
  ///   stored.
  /// - Throws: `ScenarioError`, `RunnerError`, `StoreError` or `Failure`, each with its message.
  func measure(_ subject: Subject, variant: String?, into store: RunStore) throws -> Run {
    let draft = try draft(subject, variant: variant, store: store)
    return try PlanRunner(
      plan: draft.plan, workload: subject.checked.workload, draft: draft,
      progress: Progress(
        console: context.console, title: "\(draft.plan.scenario.name):\(draft.plan.variant)",
        isQuiet: global.quiet, isVerbose: global.verbose),
      isCancelled: context.cancellation.isRequested,
      isOutOfTime: isOutOfTime
    ).run(into: store)
  }

  /// Returns all that is known of a run before its launches.
  func draft(_ subject: Subject, variant: String?, store: RunStore) throws -> RunDraft {
    let scenario = subject.checked.scenario
    let launch = try subject.checked.settings(
      variant: variant, isQuick: options.quick, overrides: options.parameterOverrides())
    let rate = rate(of: launch, subject)
    try checkProfile(of: subject, rate: rate)
    let started = context.now()
    let folder = (store.path as NSString).deletingLastPathComponent
    let id = RunIdentifier.make(at: started)
    var plan = MeasurementPlan(
      scenario: scenario, variant: launch.variant.name, parameters: launch.parameters,
      conditions: MeasurementPlan.Conditions(
        coldPageCache: launch.isPageCacheCold, deviceBudget: launch.deviceBudget,
        jetsamLimit: launch.jetsamLimit),
      iterations: options.iterations ?? scenario.iterations,
      warmup: options.warmup ?? scenario.warmup,
      rate: rate,
      seed: options.seed, program: subject.program,
      agent: try finder.agent(
        AgentLibrary(countsAllocations: options.allocations, rate: rate)),
      cacheDirectory: subject.build?.data ?? "\(folder)/data",
      scratchDirectory: "\(folder)/scratch/\(id)")
    plan.signal = options.sampling.signal
    plan.stackBytes = options.sampling.stackSize << 10
    plan.countsAllocations = options.allocations
    var environment = plan.environment(of: subject.worker, context)
    environment[.buildIdentity] = ProgramImage.fingerprint(ofFile: subject.program[0])
    if let build = subject.build {
      environment[.commit] = build.revision.head
      environment[.dirty] = build.revision.isDirty ? "true" : "false"
      environment[.tree] = build.revision.tree
      environment[.buildFlags] = build.flags
      // A worker knows its compiler better than the command that was asked.
      environment[.toolchain] = environment[.toolchain] ?? build.toolchain
    }
    return RunDraft(
      id: id, started: started, plan: plan, label: options.label,
      command: context.arguments, catalog: subject.checked.catalog, environment: environment)
  }
}
