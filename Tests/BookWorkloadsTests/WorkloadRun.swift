import PerfTestSupport
import PerfWorkload
import Testing

/// The results of one setup and one launch of a workload.
struct WorkloadRun {
  let setup: SetupResult
  let counters: [String: Double]

  /// Sets up, prepares and measures a workload.
  ///
  /// - Parameters:
  ///   - workload: The type of the workload.
  ///   - parameters: The parameter values.
  ///   - folder: The folder of the data sets.
  ///   - scratch: The scratch folder of the launch; nil uses `folder`.
  ///   - context: Receives the counters; by default each warning is a test failure.
  /// - Throws: The error of the workload.
  init<Measured: Workload>(
    _ workload: Measured.Type, _ parameters: ParameterValues, in folder: TemporaryFolder,
    scratch: TemporaryFolder? = nil,
    _ context: MeasurementContext = MeasurementContext(warning: { Issue.record("\($0)") })
  ) throws {
    setup = try Measured.setup(
      SetupContext(parameters: parameters, seed: 7, cacheDirectory: folder("cache")))
    var measured = try Measured(
      PreparationContext(
        parameters: parameters, seed: 7, launch: 0, cacheDirectory: folder("cache"),
        scratchDirectory: (scratch ?? folder).path))
    try measured.measure(context)
    counters = context.counters
  }
}
