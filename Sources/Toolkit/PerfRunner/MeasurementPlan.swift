public import PerfModel
public import PerfProfile

/// Everything that is decided before the first launch.
public struct MeasurementPlan: Sendable {
  /// The scenario.
  public var scenario: Scenario
  /// The name of the variant.
  public var variant: String
  /// The worker's parameters, complete: defaults, scenario, variant and command line merged.
  public var parameters: Parameters
  /// What the harness itself does to the worker.
  public var conditions: Conditions
  /// Measured launches.
  public var iterations: Int
  /// Launches before them that are thrown away.
  public var warmup: Int
  /// Samples a second and thread; 0 for none.
  public var rate: Int
  /// The seed of everything random.
  public var seed: UInt64
  /// The program and its arguments.
  public var program: [String]
  /// Whether what the program asks of the heap is counted, and sampled; `agent` is the library for
  /// that then.
  public var countsAllocations = false
  /// The path of the agent library; nil to measure without marks and profile.
  public var agent: String?
  /// The folder of data sets, kept from run to run.
  public var cacheDirectory: String
  /// Whether a command has the user's terminal: its streams are the harness's own, nothing limits its
  /// time, a wish to stop is first the command's own affair, and so is what it exits with.
  public var isAttended = false
  /// Whether the CPU's pace is read right before each launch, for comparisons to take it out.
  public var readsPace = false
  /// Whether the sampler's handler returns at once, to measure what its signals alone cost.
  public var hasEmptyHandler = false
  /// Whether the processes that the program starts are sampled as well.
  public var followsChildren = false
  /// What the program is sampled with.
  public var signal = SamplingSignal.standard
  /// Most bytes of a stack that a sample copies: a power of two, at most 65,536.
  public var stackBytes = CaptureConfiguration.defaultStackBytes
  /// A folder for scratch folders; each launch gets one of its own that is removed again.
  public var scratchDirectory: String

  /// Creates a plan.
  public init(
    scenario: Scenario, variant: String, parameters: Parameters, conditions: Conditions,
    iterations: Int, warmup: Int, rate: Int, seed: UInt64, program: [String], agent: String?,
    cacheDirectory: String, scratchDirectory: String
  ) {
    self.scenario = scenario
    self.variant = variant
    self.parameters = parameters
    self.conditions = conditions
    self.iterations = iterations
    self.warmup = warmup
    self.rate = rate
    self.seed = seed
    self.program = program
    self.agent = agent
    self.cacheDirectory = cacheDirectory
    self.scratchDirectory = scratchDirectory
  }

  /// What the harness does to a worker, from the harness parameters.
  public struct Conditions: Hashable, Sendable {
    /// Whether the worker's files are put out of the page cache before each launch.
    public var coldPageCache: Bool
    /// The memory of the pretended device in bytes, or nil.
    public var deviceBudget: UInt64?
    /// The footprint in bytes at which the worker is killed, or nil.
    public var jetsamLimit: UInt64?

    /// Creates conditions.
    public init(
      coldPageCache: Bool = false, deviceBudget: UInt64? = nil, jetsamLimit: UInt64? = nil
    ) {
      self.coldPageCache = coldPageCache
      self.deviceBudget = deviceBudget
      self.jetsamLimit = jetsamLimit
    }

    /// What was injected, for the environment of a run, as `page cache cold`.
    public var injectors: [String] {
      var names: [String] = []
      if coldPageCache { names.append("cold page cache (posix_fadvise)") }
      if let deviceBudget {
        names.append("device budget of \(NumberFormat.human(Double(deviceBudget), .size))")
      }
      if let jetsamLimit {
        names.append("kill at a footprint of \(NumberFormat.human(Double(jetsamLimit), .size))")
      }
      return names
    }
  }

  /// Whether the worker speaks the control channel.
  var hasWorkload: Bool {
    if case .command = scenario.worker { return false }
    return true
  }
}

/// What happens while a run is made.
public enum RunEvent: Sendable {
  /// The worker makes what all launches share.
  case setup(label: String, done: Int, total: Int)
  /// A launch begins; `total` counts warm-ups as well.
  case launching(index: Int, total: Int, isWarmup: Bool)
  /// A launch has ended, however.
  case launched(Launch)
  /// Samples are being unwound and given names.
  case analysing
}

/// What came of a run; whoever stores it adds id, label and command.
public struct RunOutcome: Sendable {
  /// The launches in order.
  public let launches: [Launch]
  /// What was sampled over the measured launches, or nil.
  public let profile: Profile?
  /// What a reader must know.
  public let warnings: [RunWarning]
  /// What the worker said of its data, as the data set's name.
  public let notes: [String: String]
  /// Whether the user stopped it, or its time was over, before all launches were made.
  public let wasInterrupted: Bool

  /// Creates an outcome.
  public init(
    launches: [Launch], profile: Profile?, warnings: [RunWarning], notes: [String: String],
    wasInterrupted: Bool
  ) {
    self.launches = launches
    self.profile = profile
    self.warnings = warnings
    self.notes = notes
    self.wasInterrupted = wasInterrupted
  }
}
