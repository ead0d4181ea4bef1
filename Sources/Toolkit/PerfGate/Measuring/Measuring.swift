internal import Foundation
public import PerfModel
internal import PerfProfile
internal import PerfRunner
public import PerfScenario
internal import PerfStatistics
public import PerfStore

/// Finds a scenario and its program and measures its variants into a store.
public struct Measuring {
  /// The choices of how launches are made.
  public let settings: MeasuringSettings
  /// The surroundings of the measurement.
  public let workspace: Workspace
  /// The path of the run store, whose folder also contains builds and data sets.
  let storePath: String
  /// The clock of `--max-time`, shared by all measurements of an invocation.
  let clock: MeasuringClock
  /// Called with the progress of each measurement.
  public let observe: (MeasuringEvent) -> Void
  /// The sizes of calibrated scenarios, shared by all measurements of an invocation.
  let sizes: CalibratedSizes

  /// Creates a measurement.
  ///
  /// - Parameters:
  ///   - settings: The choices of how launches are made.
  ///   - workspace: The surroundings of the measurement.
  ///   - storePath: The path of the run store.
  ///   - clock: The clock of `--max-time`.
  ///   - observe: Called with the progress of each measurement.
  public init(
    settings: MeasuringSettings, workspace: Workspace, storePath: String,
    clock: MeasuringClock = MeasuringClock(), observe: @escaping (MeasuringEvent) -> Void
  ) {
    self.settings = settings
    self.workspace = workspace
    self.storePath = storePath
    self.clock = clock
    self.observe = observe
    sizes = CalibratedSizes()
  }

  private init(_ other: Measuring, settings: MeasuringSettings) {
    self.settings = settings
    (workspace, storePath, clock) = (other.workspace, other.storePath, other.clock)
    (observe, sizes) = (other.observe, other.sizes)
  }

  func with(_ settings: MeasuringSettings) -> Measuring { Measuring(self, settings: settings) }

  // MARK: - Scenarios and programs

  /// The scenario files of the working directory.
  public var library: ScenarioLibrary {
    var library = ScenarioLibrary(
      folder: workspace.absolute(settings.scenarioFolder ?? "Scenarios"))
    if settings.scenarioFolder == nil { library.workingDirectory = workspace.workingDirectory }
    return library
  }

  /// The names of the scenario files; empty if the folder cannot be listed.
  public var scenarioNames: [String] { (try? library.names()) ?? [] }

  /// Reads a scenario by its name or by the path of its file.
  ///
  /// - Throws: `ScenarioError`, with the nearest name for an unknown scenario.
  public func file(_ reference: String) throws(ScenarioError) -> ScenarioFile {
    try file(reference, in: library)
  }

  /// Reads a scenario by its name in a library, or by the path of its file.
  ///
  /// - Throws: `ScenarioError`, with the nearest name for an unknown scenario.
  func file(_ reference: String, in library: ScenarioLibrary) throws(ScenarioError) -> ScenarioFile
  {
    let isPath = reference.contains("/") || reference.hasSuffix(".yml")
    return try library.file(isPath ? workspace.absolute(reference) : reference)
  }

  /// Returns the scenario of a library that has one.
  ///
  /// - Parameters:
  ///   - complaint: The start of the message for none and for several.
  ///   - alternative: The remedy for a library without scenarios.
  /// - Returns: The name of the only scenario.
  /// - Throws: `Failure` for wrong usage, with the names of the scenarios.
  public func onlyScenario(_ complaint: String, else alternative: String? = nil) throws -> String {
    let names = scenarioNames
    if names.count == 1 { return names[0] }
    let remedy =
      names.isEmpty
      ? alternative.map { ", or \($0)." } ?? "." : ": \(names.joined(separator: ", "))."
    throw Failure("\(complaint). Pass --scenario with a name\(remedy)", status: .usage)
  }

  /// Returns a finder of programs in the folder of a build.
  ///
  /// The agent is always the command's own.
  func finder(products: String) -> ProgramFinder {
    ProgramFinder(programDirectory: products, environment: workspace.variables)
  }

  /// Reads a scenario, finds its program and checks the scenario against its worker.
  ///
  /// - Parameter reference: The name of the scenario or the path of its file.
  /// - Returns: The scenario, ready to be launched.
  /// - Throws: `ScenarioError` or `RunnerError`.
  public func runnable(_ reference: String) throws -> RunnableScenario {
    let file = try file(reference)
    let finder = workspace.projectFinder(
      products: file.products, build: file.build, in: file.projectFolder)
    return try runnable(
      file, finder: finder, folder: (file.path as NSString).deletingLastPathComponent)
  }

  /// Finds the program of a scenario and checks the scenario against its worker.
  ///
  /// - Parameters:
  ///   - file: The scenario.
  ///   - finder: Finds the program.
  ///   - folder: The folder that relative paths of programs start from.
  ///   - build: The build that contains the program, or nil.
  /// - Returns: The scenario, ready to be launched.
  /// - Throws: `ScenarioError` or `RunnerError`.
  func runnable(
    _ file: ScenarioFile, finder: ProgramFinder, folder: String, build: RevisionBuild? = nil
  ) throws -> RunnableScenario {
    let surroundings = try LaunchSurroundings(
      file.scenario.command, standard: build?.folder ?? workspace.workingDirectory, folder: folder,
      finder: finder)
    let path = try finder.path(
      of: file.scenario.worker, directory: folder, or: surroundings.directory)
    if case .command(let words) = file.scenario.worker {
      return RunnableScenario(
        checked: try file.checked(against: nil), worker: nil,
        program: [path] + words.dropFirst(),
        surroundings: surroundings, build: build)
    }
    let program = [path] + file.scenario.workerArguments
    let description = try ScenarioRunner.describe(
      program: program, directory: surroundings.directory, isCancelled: workspace.isCancelled)
    return RunnableScenario(
      checked: try file.checked(against: description), worker: description, program: program,
      surroundings: surroundings, build: build)
  }

  /// Returns the named variants, or nil alone for the scenario's default variant.
  public static func variants(named names: [String]) -> [String?] {
    names.isEmpty ? [nil] : names.map(Optional.some)
  }

  /// Checks a variant and the settings for it, without measuring anything.
  ///
  /// - Throws: `ScenarioError`, `StatisticsError` for a budget that needs more launches, or `Failure`
  ///   for a label that cannot be used.
  public func check(_ runnable: RunnableScenario, variant: String?) throws {
    try settings.checkLabel()
    _ = try runnable.checked.settings(
      variant: variant, isQuick: settings.isQuick, overrides: settings.overrides)
    let budgets = runnable.scenario.budgets
    try BudgetEvaluator.validate(
      settings.counting == nil ? budgets : budgets.filter(\.isOfWork),
      launches: settings.iterations ?? runnable.scenario.iterations)
  }

  // MARK: - Time

  /// The value of `--max-time`; nil without a limit.
  private var limit: Duration? { settings.maxTime.map { .nanoseconds(Int64($0)) } }

  /// The rest of `--max-time`; nil without a limit.
  var timeLeft: Duration? { limit.map { $0 - clock.elapsed } }

  /// Returns an even share of the rest of `--max-time`; nil without a limit.
  ///
  /// - Parameter count: The number of measurements that are left, the next one included.
  /// - Returns: The length of the next measurement.
  public func timeShare(among count: Int) -> Duration? { timeLeft.map { $0 / max(count, 1) } }

  var isOutOfTime: @Sendable () -> Bool {
    let (clock, limit) = (clock, limit)
    return { limit.map { clock.elapsed > $0 } ?? false }
  }

  // MARK: - Launches

  /// Measures one variant, launch by launch, into the store.
  ///
  /// - Parameters:
  ///   - runnable: The scenario.
  ///   - variant: The variant; nil for the default variant.
  ///   - store: Receives each launch as soon as it has ended.
  /// - Returns: The stored run, which may have been interrupted. A run without launches is not stored.
  /// - Throws: `ScenarioError`, `RunnerError` or `StoreError`.
  public func measure(
    _ runnable: RunnableScenario, variant: String?, into store: RunStore
  ) throws -> Run {
    try measure(runnable, variants: [variant], into: store)[0].get()
  }

  /// Returns a draft whose facts let a later session complete the run.
  func sessionDraft(
    _ runnable: RunnableScenario, variant: String?, size: CalibratedSize?, store: RunStore
  ) throws -> RunDraft {
    var draft = try draft(runnable, variant: variant, size: size, store: store)
    draft.environment.facts.merge(draft.plan.sessionFacts.facts) { _, own in own }
    return draft
  }

  func draft(
    _ runnable: RunnableScenario, variant: String?, size: CalibratedSize? = nil, store: RunStore
  ) throws -> RunDraft {
    let scenario = runnable.scenario
    let launch = try runnable.checked.settings(
      variant: variant, isQuick: settings.isQuick,
      overrides: settings.overrides + [size?.setting].compactMap(\.self))
    let isProfiled = settings.isProfiled && settings.counting == nil
    let rate = isProfiled ? settings.rate ?? launch.rate(in: scenario) : 0
    let (engine, condition) = try engine(rate: rate)
    // Workers link the library that speaks to the agent; a command needs it for samples alone.
    let needsAgent =
      runnable.worker != nil || rate > 0 && engine == .signal || settings.countsAllocations
    let library = AgentLibrary(countsAllocations: settings.countsAllocations, rate: rate)
    try checkProfile(of: runnable, by: engine, rate: rate)
    let started = workspace.now()
    let folder = (store.path as NSString).deletingLastPathComponent
    let id = RunIdentifier.make(at: started)
    var plan = MeasurementPlan(
      scenario: scenario, variant: launch.variant.name, parameters: launch.parameters,
      iterations: settings.iterations ?? scenario.iterations,
      warmup: settings.warmup ?? scenario.warmup,
      rate: rate,
      seed: settings.seed, program: runnable.program,
      agent: try needsAgent ? workspace.finder.agent(library) : nil,
      cacheDirectory: runnable.build?.data ?? "\(folder)/data",
      scratchDirectory: "\(folder)/scratch/\(id)")
    plan.surroundings = runnable.surroundings
    plan.layouts = runnable.layouts
    plan.coldPageCache = launch.isPageCacheCold
    plan.deviceBudget = launch.deviceBudget
    plan.jetsamLimit = launch.jetsamLimit
    plan.engine = engine
    if let reason = settings.engineReason {
      plan.engineReason = reason
    } else if runnable.worker == nil {
      plan.engineReason = "the default for commands, which needs no permission"
    }
    plan.signal = settings.signal
    plan.stackBytes = settings.stackBytes
    plan.countsAllocations = settings.countsAllocations
    plan.taskLibrary = settings.recordsTasks ? try workspace.finder.agent(.tasks) : nil
    if let events = settings.counting { plan.count(by: try workspace.finder.callgrind(events)) }
    var environment = environment(of: runnable, plan)
    environment[.conditions] = launch.conditions(in: scenario, rate: rate) + condition
    environment[.calibration] = size?.note
    var draft = RunDraft(
      id: id, started: started, plan: plan, label: settings.label,
      command: workspace.arguments, catalog: runnable.checked.catalog, environment: environment)
    draft.redaction = settings.redaction
    return draft
  }

  private func environment(of runnable: RunnableScenario, _ plan: MeasurementPlan) -> Environment {
    var environment = plan.environment(of: runnable.worker, in: workspace)
    environment[.buildIdentity] = ProgramImage.fingerprint(ofFile: runnable.program[0])
    if let build = runnable.build {
      environment[.commit] = build.revision.head
      environment[.dirty] = build.revision.isDirty ? "true" : "false"
      environment[.tree] = build.revision.tree
      environment[.buildFlags] = build.flags.isEmpty ? nil : build.flags
      // A worker reports the compiler that built it; the recipe's command only reports the current one.
      environment[.toolchain] = environment[.toolchain] ?? build.toolchain
    }
    return environment
  }
}
