/// What is measured: a workload of a worker with its parameters, variants, budgets and policy.
public struct Scenario: Hashable, Sendable {
  /// The program that is measured.
  public enum Worker: Hashable, Sendable {
    /// A product that lies beside `perfkit`.
    case product(String)
    /// A path to a program that speaks the control channel.
    case path(String)
    /// Any command; it is measured whole.
    case command([String])
  }

  /// A named set of parameters that stands for one way to do the work.
  public struct Variant: Hashable, Sendable {
    /// Its name, as `naive`.
    public let name: String
    /// What it sets on top of the scenario's parameters.
    public let parameters: Parameters

    /// Creates a variant.
    public init(name: String, parameters: Parameters) {
      self.name = name
      self.parameters = parameters
    }
  }

  /// What somebody said that the scenario replays.
  public struct CaseStudy: Hashable, Sendable {
    /// The name of the case study; scenarios of one are listed together.
    public let study: String
    /// What it says, in one sentence; empty when the file gives none.
    public let statement: String

    /// Creates a case study's statement.
    public init(study: String, statement: String) {
      self.study = study
      self.statement = statement
    }
  }

  /// A step of injected memory pressure.
  public struct PressureStep: Hashable, Sendable {
    /// Nanoseconds from the begin of the measured phase.
    public let at: UInt64
    /// The fraction of the device budget that footprint and ballast are brought to.
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

  /// How big a change must be to matter.
  public struct Margin: Hashable, Sendable, Codable {
    /// A fraction of the base, or nil.
    public let relative: Double?
    /// A difference in the metric's base unit, or nil; with both, both must be exceeded.
    public let absolute: Double?

    /// Creates a margin.
    public init(relative: Double? = nil, absolute: Double? = nil) {
      self.relative = relative
      self.absolute = absolute
    }
  }

  /// Which metrics decide, and from which change on.
  public struct GatePolicy: Hashable, Sendable, Codable {
    /// The margin of metrics that name none.
    public let margin: Margin
    /// The metrics that gate, with margins of their own where they have one.
    public let metrics: [String: Margin?]

    /// Creates a policy.
    public init(margin: Margin = Margin(relative: 0.02), metrics: [String: Margin?] = [:]) {
      self.margin = margin
      self.metrics = metrics
    }

    /// Returns the margin of a metric.
    public func margin(of metric: String) -> Margin {
      (metrics[metric] ?? nil) ?? margin
    }
  }

  /// The name, equal to the file's name without its ending.
  public let name: String
  /// One sentence.
  public let summary: String
  /// The workload's name; empty for a command.
  public let workload: String
  /// The program.
  public let worker: Worker
  /// The parameters that all variants share.
  public var parameters: Parameters
  /// The variants in the order of the file; at least one.
  public var variants: [Variant]
  /// The variant that is measured when none is named.
  public let defaultVariant: String
  /// Measured launches.
  public let iterations: Int
  /// Launches before them that are thrown away.
  public let warmup: Int
  /// Nanoseconds after which a launch counts as hung.
  public let timeout: UInt64
  /// Samples a second and thread; 0 for none.
  public let profileRate: Int
  /// The ramp of injected memory pressure; may be empty.
  public let pressure: [PressureStep]
  /// What must hold.
  public let budgets: [Budget]
  /// The parameters of the small set, on top of `parameters`; nil when there is none.
  public var quick: Parameters?
  /// What a comparison is judged by.
  public let gate: GatePolicy
  /// What a change cannot reach.
  public let controls: Controls
  /// What it replays; nil when it replays nothing.
  public let caseStudy: CaseStudy?

  /// Creates a scenario; `PerfScenario` makes it from a checked file.
  public init(
    name: String, summary: String, workload: String, worker: Worker, parameters: Parameters = [:],
    variants: [Variant], defaultVariant: String, iterations: Int = 10, warmup: Int = 1,
    timeout: UInt64 = 60_000_000_000, profileRate: Int = 1000, pressure: [PressureStep] = [],
    budgets: [Budget] = [], quick: Parameters? = nil, gate: GatePolicy = GatePolicy(),
    controls: Controls = Controls(), caseStudy: CaseStudy? = nil
  ) {
    self.name = name
    self.summary = summary
    self.workload = workload
    self.worker = worker
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
    self.controls = controls
    self.caseStudy = caseStudy
  }

  /// Returns the variant of a name.
  public func variant(named name: String) -> Variant? {
    variants.first { $0.name == name }
  }
}

/// Parameters that the harness handles by itself; any workload may be given them.
public enum HarnessParameter: String, Sendable, CaseIterable {
  /// `warm` or `cold`: whether the worker's files are put out of the page cache before each launch.
  case pageCache = "page_cache"
  /// The memory of the pretended device, as `256 MB`.
  case deviceBudget = "device_budget"
  /// The footprint at which the harness kills the worker, as `1.4 GB`.
  case jetsamLimit = "jetsam_limit"
  /// Samples a second and thread, in place of the scenario's; 0 for none.
  case sampleRate = "sample_rate"
}

extension Scenario {
  /// What no change that is measured can reach: when it moves, something else changed between the
  /// two sides, and the comparison says nothing.
  public struct Controls: Hashable, Sendable, Codable {
    /// Names of metrics of the scenario.
    public var metrics: [String]
    /// Names of functions, as comparisons show them.
    public var functions: [String]
    /// Names of other scenarios, which are measured as well.
    public var scenarios: [String]

    /// Creates controls; none unless said otherwise.
    public init(metrics: [String] = [], functions: [String] = [], scenarios: [String] = []) {
      self.metrics = metrics
      self.functions = functions
      self.scenarios = scenarios
    }

    /// Whether there are none.
    public var isEmpty: Bool { metrics.isEmpty && functions.isEmpty && scenarios.isEmpty }
  }
}
