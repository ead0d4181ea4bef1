import PerfTestSupport
import PerfWorkload
import Testing

/// What a workload left that was set up, prepared and measured once.
struct WorkloadRun {
  let setup: SetupResult
  let counters: [String: Double]

  /// Runs a workload.
  ///
  /// - Parameters:
  ///   - workload: Its type.
  ///   - parameters: What differs from its defaults.
  ///   - folder: Where its data sets are kept.
  ///   - scratch: The folder of the iteration; nil for the same one.
  ///   - context: Takes the counters; by default one for which each warning is an issue.
  /// - Throws: What the workload throws.
  init<Measured: Workload>(
    _ workload: Measured.Type, _ parameters: ParameterValues, in folder: TemporaryFolder,
    scratch: TemporaryFolder? = nil,
    _ context: MeasurementContext = MeasurementContext(warning: { Issue.record("\($0)") })
  ) throws {
    setup = try Measured.setup(
      SetupContext(parameters: parameters, seed: 7, cacheDirectory: folder("cache")))
    var measured = try Measured(
      PreparationContext(
        parameters: parameters, seed: 7, iteration: 0, cacheDirectory: folder("cache"),
        scratchDirectory: (scratch ?? folder).path))
    try measured.measure(context)
    counters = context.counters
  }
}
