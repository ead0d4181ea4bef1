internal import PerfModel
internal import PerfRunner
internal import PerfStatistics
internal import PerfStore

extension Measuring {
  /// Counts launches of a side under callgrind, into a run of the store.
  ///
  /// Caches and branches are simulated only on request or for metrics that need them, as that takes
  /// longer.
  ///
  /// - Parameters:
  ///   - side: The side.
  ///   - metrics: The names of the counted metrics that gate or have a budget.
  ///   - launches: The number of launches; there are no warm-ups.
  ///   - store: Receives the run.
  ///   - requested: The events that the user wants besides those of the metrics.
  /// - Returns: The stored run.
  /// - Throws: `ScenarioError`, `RunnerError` or `StoreError`.
  func count(
    _ side: PairedSides.Side, _ metrics: [String], _ launches: Int, _ store: RunStore,
    simulating requested: CountedEvents
  ) throws -> Run {
    var settings = settings
    var events = requested
    if !Set(metrics).isDisjoint(with: [MetricName.workDataMisses, MetricName.workEstimatedCycles]) {
      events.insert(.cacheMisses)
    }
    settings.counting = events
    (settings.iterations, settings.warmup, settings.countsAllocations) = (launches, 0, false)
    let run = try with(settings).measure(side.runnable, variant: side.variant, into: store)
    guard !run.profiled.isEmpty else { throw CancellationError() }
    return run
  }

  /// Counts two launches of a scenario for its budgets of counted metrics.
  ///
  /// - Parameters:
  ///   - runnable: The scenario with its program.
  ///   - variant: The variant; nil for the default variant.
  ///   - pairing: Whether the user wants counts, and of which events.
  ///   - store: Receives the run.
  /// - Returns: The counts; nil if there is no such budget, if neither the user nor the scenario wants counts, and,
  ///   with a note, if the work cannot be counted.
  /// - Throws: `StoreError` or `CancellationError`.
  func budgetCounts(
    _ runnable: RunnableScenario, variant: String?, _ pairing: PairingSettings,
    into store: RunStore
  ) throws -> WorkCounts? {
    let metrics = runnable.scenario.budgets.filter(\.isOfWork).map(\.metric)
    guard !metrics.isEmpty, pairing.countsWork || runnable.scenario.countsWork else { return nil }
    do {
      return WorkCounts([
        try count(
          PairedSides.Side(runnable: runnable, variant: variant), metrics,
          WorkComparer.looks.lowerBound, store, simulating: pairing.simulates)
      ])
    } catch let error as CancellationError {
      throw error
    } catch let error as StoreError {
      throw error
    } catch {
      observe(.note("the work is not counted: \(Failure(error).message)"))
      return nil
    }
  }
}
