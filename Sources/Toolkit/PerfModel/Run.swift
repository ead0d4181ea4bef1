/// One measurement of one variant of a scenario: launches, their metrics and their profile.
public struct Run: Sendable {
  /// The id: lower-case letters and digits, unique in a store and sorted by time.
  public let id: String
  /// The scenario's name.
  public let scenario: String
  /// The variant's name.
  public let variant: String
  /// The user's name for the run, or nil.
  public let label: String?
  /// The time at which the run began.
  public let started: Timestamp
  /// The seed of all randomness.
  public let seed: UInt64
  /// The parameters of the worker.
  public let parameters: Parameters
  /// The arguments of the `perfkit` command that made the run.
  public let command: [String]
  /// The facts of the machine and of the build.
  public let environment: Environment
  /// The definitions of all metrics of the launches.
  public let definitions: [MetricDefinition]
  /// The launches in order, warm-ups first.
  public let launches: [Launch]
  /// The budgets at the time of the run.
  public let budgets: [Budget]
  /// The profile of all measured launches, or nil.
  public internal(set) var profile: Profile?
  /// The counted work of the launches; nil if the launches were timed.
  public let work: WorkProfile?
  /// Warnings for the reader.
  public let warnings: [RunWarning]
  /// Whether the run was stopped before its last launch.
  public let wasInterrupted: Bool

  /// Creates a run.
  public init(
    id: String, scenario: String, variant: String, label: String?, started: Timestamp, seed: UInt64,
    parameters: Parameters, command: [String], environment: Environment,
    definitions: [MetricDefinition], launches: [Launch], budgets: [Budget],
    profile: Profile?, work: WorkProfile? = nil, warnings: [RunWarning], wasInterrupted: Bool
  ) {
    self.id = id
    self.scenario = scenario
    self.variant = variant
    self.label = label
    self.started = started
    self.seed = seed
    self.parameters = parameters
    self.command = command
    self.environment = environment
    self.definitions = definitions
    self.launches = launches
    self.budgets = budgets
    self.profile = profile
    self.work = work
    self.warnings = warnings
    self.wasInterrupted = wasInterrupted
  }

  /// The launches whose metrics count: measured and completed.
  public var measured: [Launch] {
    launches.filter { !$0.isWarmup && $0.status == .completed }
  }

  /// All launches except warm-ups, completed or not.
  public var profiled: [Launch] { launches.filter { !$0.isWarmup } }

  /// The launches with samples in the profile: the completed ones, and others that ran long enough.
  public var sampled: [Launch] {
    let met = Set((profile?.counts ?? []).map(\.launch))
    let covered = profile?.audit.launches
    return profiled.filter { launch in
      covered?.contains(launch.index) ?? true
        && (launch.status == .completed || met.contains(launch.index))
    }
  }

  /// The launches that charts show: the measured ones, or all profiled ones if none completed.
  public var drawn: [Launch] { measured.isEmpty ? profiled : measured }

  /// Returns the values of a metric, one per measured launch that has it, in order.
  ///
  /// `crash.rate` has a value for each launch that is not a warm-up and was not interrupted: 1 if
  /// it crashed or was killed at the memory limit, otherwise 0.
  public func values(of metric: String) -> [Double] {
    guard metric == MetricName.crashRate else { return measured.compactMap { $0.metrics[metric] } }
    return launches.filter { !$0.isWarmup && $0.status != .interrupted }.map { launch in
      switch launch.status {
      case .crashed, .jetsam: 1
      default: 0
      }
    }
  }

  /// `scenario:variant`.
  public var subject: String { "\(scenario):\(variant)" }

  /// The variant of the runs of `perfkit record`, which measure no scenario.
  public static let recordVariant = "record"

  /// The format of the file that the profile was imported from; nil for a measured run.
  public var importedFormat: String? { environment[.imported] }

  /// The run with full function names, modules and types included, where they are known.
  public var withSignatures: Run {
    var run = self
    run.profile?.functions = (profile?.functions ?? []).map { function in
      Profile.Function(
        name: function.signature ?? function.name, key: function.key, module: function.module,
        file: function.file)
    }
    return run
  }
}

extension Run {
  /// Whether the command line itself had the measured command, after `--` or `--command`.
  package var isOfDirectCommand: Bool { command.contains { ["--", "--command"].contains($0) } }

  /// Whether the run is of a scenario file: not of a command line, a suite or a recording.
  package var hasScenarioFile: Bool {
    variant != Run.recordVariant && !isOfDirectCommand
      && !command.contains { $0.hasPrefix("--package-benchmark") }
  }
}

/// One launch of a worker.
public struct Launch: Sendable {
  /// How a launch ended.
  public enum Status: Hashable, Sendable {
    case completed
    /// A signal ended the process.
    case crashed(signal: Int32)
    /// The launch exceeded its time limit and was killed.
    case timedOut
    /// The harness killed the process at its memory limit, as a device would.
    case jetsam
    /// The worker reported a failure, or broke the protocol.
    case failed(String)
    /// The user stopped the run.
    case interrupted
  }

  /// The position in the run from 0, warm-ups included.
  public let index: Int
  /// Whether the metrics are discarded.
  public let isWarmup: Bool
  /// The end of the launch.
  public let status: Status
  /// Nanoseconds from the start of the run to the start of the launch.
  public let offset: UInt64
  /// Values in base units by metric name.
  public let metrics: [String: Double]
  /// The time series.
  public let series: [TimeSeries]
  /// The frames in order; empty if there are none.
  public let frames: [FrameRecord]
  /// The start of the measured phase in nanoseconds of CLOCK_MONOTONIC, the clock of the frames;
  /// nil if the launch did not reach it.
  public let began: UInt64?
  /// The phases, signposts and events of the measured phase, by end; empty for warm-ups.
  public let spans: [Span]

  /// Creates a launch.
  public init(
    index: Int, isWarmup: Bool, status: Status, offset: UInt64, metrics: [String: Double] = [:],
    series: [TimeSeries] = [], frames: [FrameRecord] = [], began: UInt64? = nil,
    spans: [Span] = []
  ) {
    self.index = index
    self.isWarmup = isWarmup
    self.status = status
    self.offset = offset
    self.metrics = metrics
    self.series = series
    self.frames = frames
    self.began = began
    self.spans = spans
  }
}

extension Launch.Status: CustomStringConvertible {
  /// A few words, such as `crashed (SIGSEGV)`.
  public var description: String {
    switch self {
    case .completed: "completed"
    case .crashed(let signal): "crashed (\(Self.signalName(signal)))"
    case .timedOut: "timed out"
    case .jetsam: "killed at the memory limit"
    case .failed(let message): "failed: \(message)"
    case .interrupted: "interrupted"
    }
  }

  /// Returns the name of a Linux signal, such as `SIGSEGV` or `SIGRTMIN+1` (signal(7)).
  public static func signalName(_ signal: Int32) -> String {
    let names = [
      "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
      "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
      "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ]
    // The C library uses 32 and 33 itself, so that SIGRTMIN is 34.
    switch signal {
    case 1...31: return "SIG" + names[Int(signal) - 1]
    case 34: return "SIGRTMIN"
    case 35...64: return "SIGRTMIN+\(signal - 34)"
    default: return "signal \(signal)"
    }
  }
}

/// Values over time.
public struct TimeSeries: Hashable, Sendable {
  /// The name: `rss`, `cpu` or the name of a counter.
  public let name: String
  /// The kind of quantity; values are in its base unit.
  public let dimension: Dimension
  /// Nanoseconds from the start of the measured phase, ascending.
  public let times: [UInt64]
  /// The values, one for each time.
  public let values: [Double]

  /// Creates a series.
  ///
  /// - Precondition: There are as many values as times.
  public init(name: String, dimension: Dimension, times: [UInt64], values: [Double]) {
    precondition(times.count == values.count, "a series needs one value for each time")
    self.name = name
    self.dimension = dimension
    self.times = times
    self.values = values
  }
}
