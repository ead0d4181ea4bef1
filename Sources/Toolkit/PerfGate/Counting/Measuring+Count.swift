internal import PerfModel
internal import PerfRunner
internal import PerfStore

extension Measuring {
  /// Counts launches of a side under callgrind, into a run of the store.
  ///
  /// Caches and branches are simulated only on request or for metrics that need them, as that takes
  /// longer.
  ///
  /// - Parameters:
  ///   - side: The side.
  ///   - metrics: The names of the counted metrics that gate.
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
}
