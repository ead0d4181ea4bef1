internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// Carries out a plan, launch by launch into the store.
struct PlanRunner {
  /// What is measured.
  let plan: MeasurementPlan
  /// What the worker says of the workload; nil for a command.
  let workload: WorkerDescription.Workload?
  /// What is known of the run before its launches.
  let draft: RunDraft
  /// What shows how far it is.
  let progress: Progress
  /// Whether the user wants to stop.
  let isCancelled: @Sendable () -> Bool
  /// The process that reads symbols and debug information.
  let symbolication: Symbolication
  /// Whether no further launch is to be started.
  let isOutOfTime: @Sendable () -> Bool

  /// Makes the launches.
  ///
  /// - Parameter store: Where each launch is kept as soon as it has ended.
  /// - Returns: The run as it was stored; it may have been interrupted. Without launches it is not
  ///   stored.
  /// - Throws: `RunnerError`, `StoreError` or `RevisionError.notWritable`, each with its message.
  func run(into store: RunStore) throws -> Run {
    let scratch = try ScratchFolder(plan.scratchDirectory)
    defer { scratch.remove() }
    let runner = ScenarioRunner(
      plan: plan, workload: workload, isCancelled: isCancelled, isOutOfTime: isOutOfTime)
    var hasBegun = false
    let symbols = PersistentSymbolCache(
      load: store.readSymbols(keys:visit:), change: store.changeSymbols(keys:change:))
    let outcome = try runner.run(
      symbols: symbols, symbolication: symbolication
    ) { event in
      progress.show(event)
      switch event {
      case .launching where !hasBegun:
        // Not before: what cannot be set up is no run.
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
  /// What is known of the machine and the build when the plan is carried out.
  func environment(of worker: WorkerDescription?, _ context: Context) -> Environment {
    var facts = EnvironmentProbe(
      directory: context.workingDirectory, variables: context.variables
    ).environment()
    facts[.perfkitVersion] = perfkitVersion
    facts[.injectors] =
      conditions.injectors.isEmpty ? nil : conditions.injectors.joined(separator: ", ")
    if let worker {
      facts[.toolchain] = "Swift \(worker.compiler)"
      facts[.configuration] = worker.configuration
    }
    return facts
  }
}
