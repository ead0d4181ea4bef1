internal import Foundation
internal import PerfModel
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
  /// When it was created: `--max-time` counts from here for all that it measures.
  private let began = ContinuousClock.now

  init(options: MeasuringOptions, global: GlobalOptions, context: Context) {
    self.options = options
    self.global = global
    self.context = context
  }

  /// A scenario that can be measured.
  struct Subject {
    /// The scenario with its worker's declarations.
    let checked: CheckedScenario
    /// What the worker says of itself; nil for a command.
    let worker: WorkerDescription?
    /// The absolute path of the program and its arguments.
    let program: [String]
  }

  private var finder: ProgramFinder {
    ProgramFinder(programDirectory: context.programDirectory, environment: context.variables)
  }

  /// The folder of the scenario files.
  var library: ScenarioLibrary {
    ScenarioLibrary(folder: context.absolute(options.scenarios))
  }

  /// Reads a scenario, finds its worker and checks one against the other.
  func subject(_ reference: String) throws -> Subject {
    let isPath = reference.contains("/") || reference.hasSuffix(".yml")
    let file = try library.file(isPath ? context.absolute(reference) : reference)
    let folder = (file.path as NSString).deletingLastPathComponent
    let path = try finder.path(of: file.scenario.worker, directory: folder)
    if case .command(let words) = file.scenario.worker {
      return Subject(
        checked: try file.checked(against: nil), worker: nil,
        program: [path] + words.dropFirst())
    }
    let description = try ScenarioRunner.describe(
      program: [path], isCancelled: context.cancellation.isRequested)
    return Subject(
      checked: try file.checked(against: description), worker: description, program: [path])
  }

  /// Checks a variant and the options for it, without measuring anything.
  func check(_ subject: Subject, variant: String?) throws {
    try options.checkLabel()
    _ = try subject.checked.plan(
      variant: variant, isQuick: options.quick, overrides: options.parameterOverrides())
    try BudgetEvaluator.validate(
      subject.checked.scenario.budgets,
      iterations: options.iterations ?? subject.checked.scenario.iterations)
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
    let scenario = subject.checked.scenario
    let launch = try subject.checked.plan(
      variant: variant, isQuick: options.quick, overrides: options.parameterOverrides())
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
      rate: options.noProfile ? 0 : options.rate ?? scenario.profileRate,
      seed: options.seed, program: subject.program,
      agent: try finder.agent(countsAllocations: options.allocations),
      cacheDirectory: "\(folder)/data", scratchDirectory: "\(folder)/scratch/\(id)")
    plan.signal = options.sampling.signal
    plan.stackBytes = options.sampling.stackSize << 10
    plan.countsAllocations = options.allocations
    let draft = RunDraft(
      id: id, started: started, plan: plan, label: options.label,
      command: context.arguments, catalog: subject.checked.catalog,
      environment: plan.environment(of: subject.worker, context))
    let deadline = options.maxTime.map { began + .nanoseconds(Int64($0.nanoseconds)) }
    return try PlanRunner(
      plan: plan, workload: subject.checked.workload, draft: draft,
      progress: Progress(
        console: context.console, title: "\(scenario.name):\(plan.variant)",
        isQuiet: global.quiet, isVerbose: global.verbose),
      isCancelled: context.cancellation.isRequested,
      isOutOfTime: { deadline.map { ContinuousClock.now > $0 } ?? false }
    ).run(into: store)
  }
}
