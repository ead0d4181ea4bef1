/// A measurable workload with its parameters, variants, budgets and gate policy.
public struct Scenario: Hashable, Sendable {
  /// The measured program.
  public enum Worker: Hashable, Sendable {
    /// A product located beside `perfkit`.
    case product(String)
    /// A path to a program that speaks the control protocol.
    case path(String)
    /// Any command, measured from its start to its end.
    case command([String])
  }

  /// A named set of parameters: one way to do the work.
  public struct Variant: Hashable, Sendable {
    /// The name, such as `naive`.
    public let name: String
    /// The parameters that the variant sets, on top of the scenario's.
    public let parameters: Parameters

    /// Creates a variant.
    public init(name: String, parameters: Parameters) {
      self.name = name
      self.parameters = parameters
    }
  }

  /// A published statement that the scenario reproduces.
  public struct CaseStudy: Hashable, Sendable {
    /// The name of the case study; its scenarios are listed together.
    public let study: String
    /// The statement in one sentence; empty if the file gives none.
    public let statement: String

    /// Creates a case study's statement.
    public init(study: String, statement: String) {
      self.study = study
      self.statement = statement
    }
  }

  /// A step of injected memory pressure.
  public struct PressureStep: Hashable, Sendable {
    /// Nanoseconds from the start of the measured phase.
    public let at: UInt64
    /// The fraction of the device budget that footprint and ballast together reach.
    public let level: Double
    /// Nanoseconds for which the level is held.
    public let hold: UInt64

    /// Creates a step.
    public init(at: UInt64, level: Double, hold: UInt64) {
      self.at = at
      self.level = level
      self.hold = hold
    }
  }

  /// The smallest change that matters.
  public struct Margin: Hashable, Sendable, Codable {
    /// A fraction of the base, or nil.
    public let relative: Double?
    /// A difference in the base unit, or nil; with both limits set, a change must exceed both.
    public let absolute: Double?

    /// Creates a margin.
    public init(relative: Double? = nil, absolute: Double? = nil) {
      self.relative = relative
      self.absolute = absolute
    }
  }

  /// The gating metrics and their margins.
  public struct GatePolicy: Hashable, Sendable, Codable {
    /// The margin of metrics without a margin.
    public let margin: Margin
    /// The gating metrics, each with its margin or nil.
    public var metrics: [String: Margin?]

    /// Creates a policy.
    public init(margin: Margin = Margin(relative: 0.02), metrics: [String: Margin?] = [:]) {
      self.margin = margin
      self.metrics = metrics
    }

    /// The policy for a command: without metrics its times gate, but not its peak memory, which
    /// cannot be read if it ends within milliseconds.
    public var ofCommand: GatePolicy {
      guard metrics.isEmpty else { return self }
      return GatePolicy(
        margin: margin, metrics: [MetricName.wall: nil, MetricName.cpuTotal: nil])
    }

    /// Returns the margin of a metric; counted metrics have a standard margin of their own.
    public func margin(of metric: String) -> Margin {
      (metrics[metric] ?? nil) ?? (MetricName.work.contains(metric) ? Self.workMargin : margin)
    }
  }

  /// Metrics, functions and scenarios that no measured change can reach.
  ///
  /// If a control moves, the machine or another input changed, and the comparison is void.
  public struct Controls: Hashable, Sendable, Codable {
    /// Names of the scenario's metrics.
    public var metrics: [String]
    /// Names of functions as comparisons show them.
    public var functions: [String]
    /// Names of other scenarios, which are measured as well.
    public var scenarios: [String]

    /// Creates controls.
    public init(metrics: [String] = [], functions: [String] = [], scenarios: [String] = []) {
      self.metrics = metrics
      self.functions = functions
      self.scenarios = scenarios
    }

    /// Whether there are no controls.
    public var isEmpty: Bool { metrics.isEmpty && functions.isEmpty && scenarios.isEmpty }
  }

  /// The name, equal to the file's name without its extension.
  public var name: String
  /// One sentence.
  public var summary: String
  /// The workload's name; empty for a command.
  public let workload: String
  /// The measured program.
  public let worker: Worker
  /// The words that a worker is started with; a command contains its own.
  public var workerArguments: [String]
  /// The parameters of all variants.
  public var parameters: Parameters
  /// The variants in the order of the file, at least one.
  public var variants: [Variant]
  /// The variant that is measured by default.
  public var defaultVariant: String
  /// The number of measured launches.
  public var iterations: Int
  /// The number of launches before them whose metrics are discarded.
  public let warmup: Int
  /// Nanoseconds after which a launch is killed.
  public let timeout: UInt64
  /// Samples per second and thread; 0 for none.
  public let profileRate: Int
  /// The steps of injected memory pressure; may be empty.
  public let pressure: [PressureStep]
  /// The budgets.
  public var budgets: [Budget]
  /// The parameters of `--quick`, on top of `parameters`; nil if there are none.
  public var quick: Parameters?
  /// The gate policy of comparisons.
  public var gate: GatePolicy
  /// Whether comparisons count the executed instructions as well.
  public let countsWork: Bool
  /// The metrics, functions and scenarios that a change cannot reach.
  public var controls: Controls
  /// The statement that the scenario reproduces, or nil.
  public let caseStudy: CaseStudy?
  /// The surroundings of a command's launches.
  public let command: CommandSettings
  /// The statements on what the variants must show.
  public let expectations: [ScenarioExpectation]
  /// The rule by which the size of the work is fitted to the machine; nil for fixed sizes.
  public let calibration: Calibration?

  /// The nanoseconds after which a launch is killed if nothing else is requested.
  public static let usualTimeout: UInt64 = 60_000_000_000

  /// Creates a scenario; `PerfScenario` creates it from a checked file.
  public init(
    name: String, summary: String, workload: String, worker: Worker, workerArguments: [String] = [],
    parameters: Parameters = [:], variants: [Variant], defaultVariant: String,
    iterations: Int = 10, warmup: Int = 1, timeout: UInt64 = Self.usualTimeout,
    profileRate: Int = 1000, pressure: [PressureStep] = [],
    budgets: [Budget] = [], quick: Parameters? = nil, gate: GatePolicy = GatePolicy(),
    countsWork: Bool = false, controls: Controls = Controls(), caseStudy: CaseStudy? = nil,
    command: CommandSettings = CommandSettings(), expectations: [ScenarioExpectation] = [],
    calibration: Calibration? = nil
  ) {
    self.name = name
    self.summary = summary
    self.workload = workload
    self.worker = worker
    self.workerArguments = workerArguments
    self.parameters = parameters
    self.variants = variants
    self.defaultVariant = defaultVariant
    self.iterations = iterations
    self.warmup = warmup
    self.timeout = timeout
    self.profileRate = profileRate
    self.pressure = pressure
    self.budgets = budgets
    self.quick = quick
    self.gate = gate
    self.countsWork = countsWork
    self.controls = controls
    self.caseStudy = caseStudy
    self.command = command
    self.expectations = expectations
    self.calibration = calibration
  }

  /// Returns the variant with a name.
  public func variant(named name: String) -> Variant? {
    variants.first { $0.name == name }
  }
}

/// A parameter that the harness itself handles; every workload accepts it.
public enum HarnessParameter: String, Sendable, CaseIterable {
  /// `warm` or `cold`: before each launch, `cold` evicts the worker's files from the page cache.
  case pageCache = "page_cache"
  /// The memory of the simulated device, such as `256 MB`.
  case deviceBudget = "device_budget"
  /// The footprint at which the harness kills the worker, such as `1.4 GB`.
  case jetsamLimit = "jetsam_limit"
  /// Samples per second and thread, instead of the scenario's rate; 0 for none.
  case sampleRate = "sample_rate"
}
