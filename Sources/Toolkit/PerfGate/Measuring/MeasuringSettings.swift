public import PerfModel
public import PerfProfile
public import PerfRunner
public import PerfScenario
internal import PerfStore

/// The choices of how launches are made.
public struct MeasuringSettings: Sendable {
  /// The number of measured launches; nil for the scenario's own.
  public var iterations: Int?
  /// The number of launches that are thrown away first; nil for the scenario's own.
  public var warmup: Int?
  /// The parameters that the command line sets.
  public var overrides: [ParameterOverride] = []
  /// Samples per second and thread; nil for the scenario's own rate.
  public var rate: Int?
  /// What takes the samples of commands; the agent's signal alone samples workers.
  public var engine = SamplingEngine.signal
  /// The option that decides the engine, as a clause; nil for the default.
  public var engineReason: String?
  /// The signal to sample with.
  public var signal = SamplingSignal.standard
  /// The most bytes of a stack that a sample copies.
  public var stackBytes = CaptureConfiguration.defaultStackBytes
  /// Whether samples are taken.
  public var isProfiled = true
  /// Whether allocations are counted.
  public var countsAllocations = false
  /// Whether calibrated sizes are searched although earlier runs have them.
  public var calibratesAnew = false
  /// Whether the waits of Swift tasks are recorded.
  public var recordsTasks = false
  /// The events to count under callgrind besides instructions and calls; nil to measure times.
  public var counting: CountedEvents?
  /// Whether the scenario's small parameter set is used.
  public var isQuick = false
  /// The seed of everything random.
  public var seed: UInt64 = 1
  /// Nanoseconds after which no further launch starts, builds not counted; nil for no limit.
  public var maxTime: UInt64?
  /// The secrets that are not stored.
  public var redaction = Redaction.none
  /// The label of the runs, or nil.
  public var label: String?
  /// The folder of the scenario files; nil for the default.
  ///
  /// A relative path starts from the working directory, or from the root of a tree when revisions are
  /// measured.
  public var scenarioFolder: String?

  /// Creates the default settings.
  public init() {}

  /// Refuses a label that cannot name a run.
  ///
  /// - Throws: `Failure` for wrong usage.
  public func checkLabel() throws {
    guard let label else { return }
    do {
      try StoredName.check(label)
    } catch {
      throw Failure("--label: \(error)", status: .usage)
    }
  }
}
