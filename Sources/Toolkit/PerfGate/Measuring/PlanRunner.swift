internal import Foundation
public import PerfModel
public import PerfProfile
public import PerfRunner
internal import PerfScenario
public import PerfStore

/// Carries out a plan and stores each launch when it ends.
public struct PlanRunner {
  private let draft: RunDraft
  private let workload: WorkerDescription.Workload?
  private let observe: (RunEvent) -> Void
  private let symbolication: Symbolication
  private let isCancelled: @Sendable () -> Bool
  private let isOutOfTime: @Sendable () -> Bool

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - draft: The run with its plan.
  ///   - workload: The worker's description of the workload; nil for a command.
  ///   - symbolication: The process that reads symbols and debug information.
  ///   - observe: Called with each event.
  ///   - isCancelled: Whether the user wants to stop.
  ///   - isOutOfTime: Whether no further launch may start.
  public init(
    _ draft: RunDraft, workload: WorkerDescription.Workload?,
    symbolication: Symbolication, observe: @escaping (RunEvent) -> Void,
    isCancelled: @escaping @Sendable () -> Bool,
    isOutOfTime: @escaping @Sendable () -> Bool = { false }
  ) {
    self.draft = draft
    self.workload = workload
    self.observe = observe
    self.symbolication = symbolication
    self.isCancelled = isCancelled
    self.isOutOfTime = isOutOfTime
  }

  /// Makes the launches.
  ///
  /// - Parameter store: Receives each launch as soon as it has ended.
  /// - Returns: The stored run, which may have been interrupted. A run without launches is not stored.
  /// - Throws: `RunnerError`, `StoreError` or `RevisionError.notWritable`.
  public func run(into store: RunStore) throws -> Run {
    let scratch = try ScratchFolder(draft.plan.scratchDirectory)
    defer { scratch.remove() }
    let runner = ScenarioRunner(
      plan: draft.plan, workload: workload, isCancelled: isCancelled, isOutOfTime: isOutOfTime)
    var hasBegun = false
    let symbols = SymbolCache(
      load: store.readSymbols(keys:visit:), change: store.changeSymbols(keys:change:))
    let outcome = try runner.run(symbols: symbols, symbolication: symbolication) { event in
      observe(event)
      switch event {
      case .launching where !hasBegun:
        // The run is stored at its first launch: a failed setup leaves no run.
        try store.begin(draft.run(launches: []))
        hasBegun = true
      case .launched(let launch): try store.append(launch, to: draft.id)
      default: break
      }
    }
    let run = draft.run(outcome)
    if hasBegun { try store.finish(run) }
    return run
  }
}

extension MeasurementPlan {
  /// Returns the facts of the machine and of a worker (nil for a command) before the measurement.
  public func environment(of worker: WorkerDescription?, in workspace: Workspace) -> Environment {
    var facts = EnvironmentProbe(
      directory: workspace.workingDirectory, variables: workspace.variables
    ).environment()
    facts[.perfkitVersion] = workspace.version
    facts[.injectors] =
      conditions.injectors.isEmpty ? nil : conditions.injectors.joined(separator: ", ")
    if let worker {
      facts[.toolchain] = "Swift \(worker.compiler)"
      facts[.configuration] = worker.configuration
    }
    return facts
  }
}
