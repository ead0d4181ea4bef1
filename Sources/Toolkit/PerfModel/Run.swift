/// One measurement of one variant of a scenario: some launches, their metrics and their profile.
public struct Run: Sendable {
  /// Lower-case letters and digits, unique in a store and sorted by time.
  public let id: String
  /// The scenario's name.
  public let scenario: String
  /// The variant's name.
  public let variant: String
  /// The name that the user gave it, or nil.
  public let label: String?
  /// When it began.
  public let started: Timestamp
  /// The seed of everything random in it.
  public let seed: UInt64
  /// The parameters that the worker got.
  public let parameters: Parameters
  /// The words after `perfkit` that made it.
  public let command: [String]
  /// Where it was measured, and of what build.
  public let environment: Environment
  /// Definitions of all metrics that its iterations hold.
  public let definitions: [MetricDefinition]
  /// The launches in order, warm-ups first.
  public let launches: [Launch]
  /// The budgets as they stood when it was measured.
  public let budgets: [Budget]
  /// What was sampled over all measured launches, or nil.
  public internal(set) var profile: Profile?
  /// What a reader must know.
  public let warnings: [RunWarning]
  /// Whether it was stopped before all launches were made.
  public let wasInterrupted: Bool

  /// Creates a run.
  public init(
    id: String, scenario: String, variant: String, label: String?, started: Timestamp, seed: UInt64,
    parameters: Parameters, command: [String], environment: Environment,
    definitions: [MetricDefinition], launches: [Launch], budgets: [Budget],
    profile: Profile?, warnings: [RunWarning], wasInterrupted: Bool
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
    self.warnings = warnings
    self.wasInterrupted = wasInterrupted
  }

  /// The launches whose metrics count: measured and completed.
  public var measured: [Launch] {
    launches.filter { !$0.isWarmup && $0.status == .completed }
  }

  /// All launches but warm-ups, completed or not.
  public var profiled: [Launch] { launches.filter { !$0.isWarmup } }

  /// The launches that the profile adds up: those that completed, and those of the others that had
  /// come far enough to be sampled.
  public var sampled: [Launch] {
    let met = Set((profile?.counts ?? []).map(\.launch))
    return profiled.filter { $0.status == .completed || met.contains($0.index) }
  }

  /// The launches that pictures show: the measured ones, or all that count where none completed.
  public var drawn: [Launch] { measured.isEmpty ? profiled : measured }

  /// Returns the values of a metric, one a measured launch that has it, in order of the launches.
  ///
  /// `crash.rate` has a value for every launch that was not a warm-up and that the user let end: 1
  /// when it crashed or was killed at the memory limit, otherwise 0.
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
}

/// One launch of a worker.
public struct Launch: Sendable {
  /// How a launch ended.
  public enum Status: Hashable, Sendable {
    case completed
    /// It died by a signal of its own.
    case crashed(signal: Int32)
    /// It did not end in time and was killed.
    case timedOut
    /// The harness killed it at its memory limit, as a device would.
    case jetsam
    /// It said that it failed, or broke the protocol.
    case failed(String)
    /// The user stopped the run.
    case interrupted
  }

  /// Its place in the run, from 0, warm-ups included.
  public let index: Int
  /// Whether its metrics are thrown away.
  public let isWarmup: Bool
  /// How it ended.
  public let status: Status
  /// Nanoseconds from the begin of the run to the begin of this launch.
  public let offset: UInt64
  /// Values in base units by metric name.
  public let metrics: [String: Double]
  /// What was sampled over time.
  public let series: [TimeSeries]
  /// The frames in order; empty when it made none.
  public let frames: [FrameRecord]
  /// The begin of its measured phase in CLOCK_MONOTONIC nanoseconds, as its frames count time; nil in
  /// runs of the first version.
  public let began: UInt64?
  /// The phases, signposts and events of its measured phase, by end; none of warm-ups.
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
  /// A few words, as `crashed (SIGSEGV)`.
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

  /// Returns the name of a Linux signal, as `SIGSEGV`.
  public static func signalName(_ signal: Int32) -> String {
    let names: [Int32: String] = [
      1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS",
      8: "SIGFPE", 9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE",
      14: "SIGALRM", 15: "SIGTERM", 27: "SIGPROF", 31: "SIGSYS",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}

/// Values over time.
public struct TimeSeries: Hashable, Sendable {
  /// What it shows, as `rss` or a counter's name.
  public let name: String
  /// What the values measure; they are in base units.
  public let dimension: Dimension
  /// Nanoseconds from the begin of the measured phase, ascending.
  public let times: [UInt64]
  /// As many values as times.
  public let values: [Double]

  /// Creates a series of equally many times and values.
  public init(name: String, dimension: Dimension, times: [UInt64], values: [Double]) {
    precondition(times.count == values.count, "a series needs one value for each time")
    self.name = name
    self.dimension = dimension
    self.times = times
    self.values = values
  }
}

extension Run {
  /// The run with the whole names of functions, modules and types included, where there are any.
  public var withSignatures: Run {
    var run = self
    run.profile = profile.map { profile in
      Profile(
        functions: profile.functions.map { function in
          Profile.Function(
            name: function.signature ?? function.name, key: function.key,
            module: function.module, file: function.file)
        }, nodes: profile.nodes, threads: profile.threads, phases: profile.phases,
        signposts: profile.signposts, counts: profile.counts, timeline: profile.timeline,
        audit: profile.audit, modules: profile.modules)
    }
    return run
  }
}
