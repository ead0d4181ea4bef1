public import PerfModel
public import PerfProfile

/// The settings of a run, fixed before its first launch.
public struct MeasurementPlan: Sendable {
  /// The scenario.
  public var scenario: Scenario
  /// The name of the variant.
  public var variant: String
  /// The complete parameters of the worker, merged from defaults, scenario, variant and command
  /// line.
  public var parameters: Parameters
  /// The number of measured launches.
  public var iterations: Int
  /// The number of launches before them whose metrics are discarded.
  public var warmup: Int
  /// Samples per second and thread; 0 for none.
  public var rate: Int
  /// The seed of all randomness.
  public var seed: UInt64
  /// The program and its arguments.
  public var program: [String]
  /// The same program, linked with other layouts, which the pairs of a comparison launch in turn; empty for
  /// one program.
  public var layouts: [String] = []
  /// The working directory of all launches, and what a command has in addition.
  public var surroundings = LaunchSurroundings()
  /// Whether the worker's files are evicted from the page cache before each launch.
  public var coldPageCache = false
  /// The memory of the simulated device in bytes, or nil.
  public var deviceBudget: UInt64?
  /// The footprint in bytes at which the worker is killed, or nil.
  public var jetsamLimit: UInt64?
  /// Whether allocations are counted, and sampled; `agent` must be a library for that.
  public var countsAllocations = false
  /// The path of the agent library; nil to measure without marks and profile.
  public var agent: String?
  /// The path of the library that records the waits of Swift tasks; nil to record none.
  public var taskLibrary: String?
  /// Counts the launches, whose times then have no meaning; nil to measure times.
  ///
  /// A counted launch has neither agent nor profile, and its memory contains valgrind's.
  public var callgrind: Callgrind?
  /// The folder of data sets, kept between runs.
  public var cacheDirectory: String
  /// Whether a command uses the user's terminal.
  ///
  /// The command has the harness's streams, has no time limit, handles Ctrl-C first, and may exit
  /// with any status.
  public var isAttended = false
  /// Whether the CPU's pace is read right before each launch, so that comparisons can remove its
  /// effect.
  public var readsPace = false
  /// Whether the sampler's handler returns immediately, to measure the cost of signals alone.
  public var hasEmptyHandler = false
  /// Whether the program's child processes are sampled as well.
  public var followsChildren = false
  /// What takes the samples; with `perf`, an agent records marks only.
  public var engine = SamplingEngine.signal
  /// The reason for that engine, as a clause; by default the reason for a worker.
  public var engineReason = "it records awaiting callers and needs no permission"
  /// The reason why the kernel does not sample although it is preferred; nil if there is none.
  public var engineObstacle: String?
  /// The running process to sample in place of a program; `engine` must be `perf`.
  public var attachment: Attachment?
  /// The sampling signal.
  public var signal = SamplingSignal.standard
  /// The maximum bytes of a stack that a sample copies: a power of two, at most 65,536.
  public var stackBytes = CaptureConfiguration.defaultStackBytes
  /// The folder of scratch folders; each launch has its own, which is removed afterwards.
  public var scratchDirectory: String
  /// The numbers of the launches that an earlier session of the run has made.
  ///
  /// Each session makes its own warm-ups.
  public var made: Set<Int> = []
  /// Nanoseconds from the start of the run to the start of this session.
  public var sessionOffset: UInt64 = 0

  /// Creates a plan.
  public init(
    scenario: Scenario, variant: String, parameters: Parameters,
    iterations: Int, warmup: Int, rate: Int, seed: UInt64, program: [String], agent: String?,
    cacheDirectory: String, scratchDirectory: String
  ) {
    self.scenario = scenario
    self.variant = variant
    self.parameters = parameters
    self.iterations = iterations
    self.warmup = warmup
    self.rate = rate
    self.seed = seed
    self.program = program
    self.agent = agent
    self.cacheDirectory = cacheDirectory
    self.scratchDirectory = scratchDirectory
  }

  /// The conditions that the harness applies to the worker, in words.
  public var injectors: [String] {
    var names: [String] = []
    if let callgrind { names.append(callgrind.summary) }
    if coldPageCache { names.append("cold page cache (posix_fadvise)") }
    if let deviceBudget {
      names.append("device budget of \(NumberFormat.human(Double(deviceBudget), .size))")
    }
    if let jetsamLimit {
      names.append("kill at a footprint of \(NumberFormat.human(Double(jetsamLimit), .size))")
    }
    return names
  }

  var hasWorkload: Bool {
    if case .command = scenario.worker { return false }
    return true
  }
}

/// A running process that is sampled for some time.
public struct Attachment: Sendable {
  /// The process id.
  public let process: Int32
  /// The longest time in nanoseconds; nil until the process or the user ends it.
  public let duration: UInt64?
  /// Whether the user wants to end the sampling, which completes the launch.
  public let isEnded: @Sendable () -> Bool

  /// Creates an attachment.
  public init(process: Int32, duration: UInt64?, isEnded: @escaping @Sendable () -> Bool) {
    (self.process, self.duration, self.isEnded) = (process, duration, isEnded)
  }
}

/// An event of a run in progress.
public enum RunEvent: Sendable {
  /// The worker prepares the data of all launches.
  case setup(label: String, done: Int, total: Int)
  /// A launch starts; `total` includes warm-ups.
  case launching(index: Int, total: Int, isWarmup: Bool)
  /// A launch has ended, completed or not.
  case launched(Launch)
  /// Samples are being unwound and symbolicated.
  case analysing
}

/// The result of a run without id, label and command.
public struct RunOutcome: Sendable {
  /// The launches in order.
  public let launches: [Launch]
  /// The profile of the measured launches, or nil.
  public let profile: Profile?
  /// The counted work of the measured launches; nil if they were timed.
  public let work: WorkProfile?
  /// Warnings about the launches and the profile.
  public var warnings: [RunWarning]
  /// The worker's notes on its data, such as the name of the data set.
  public let notes: [String: String]
  /// Whether the run was stopped, or its time was over, before its last launch.
  public let wasInterrupted: Bool

  /// Creates an outcome.
  public init(
    launches: [Launch], profile: Profile? = nil, work: WorkProfile? = nil,
    warnings: [RunWarning] = [], notes: [String: String] = [:],
    wasInterrupted: Bool = false
  ) {
    self.launches = launches
    self.profile = profile
    self.work = work
    self.warnings = warnings
    self.notes = notes
    self.wasInterrupted = wasInterrupted
  }
}
