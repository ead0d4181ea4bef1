/// The worker's description of itself in its hello message.
public struct WorkerDescription: Hashable, Sendable {
  /// A parameter of a workload.
  public struct Parameter: Hashable, Sendable {
    /// The type of a parameter.
    public enum Kind: String, Sendable, Codable {
      case int
      case double
      case string
      case bool
    }

    /// The name in scenario files.
    public let name: String
    /// The type.
    public let kind: Kind
    /// The value if a scenario gives none.
    public let defaultValue: ParameterValue
    /// One sentence.
    public let summary: String
    /// The allowed strings, or nil.
    public let choices: [String]?
    /// The smallest allowed number, or nil.
    public let minimum: Double?
    /// The largest allowed number, or nil.
    public let maximum: Double?

    /// Creates a declaration.
    public init(
      name: String, kind: Kind, defaultValue: ParameterValue, summary: String,
      choices: [String]? = nil, minimum: Double? = nil, maximum: Double? = nil
    ) {
      self.name = name
      self.kind = kind
      self.defaultValue = defaultValue
      self.summary = summary
      self.choices = choices
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  /// A workload of the worker.
  public struct Workload: Hashable, Sendable {
    /// The dotted name, such as `book.scroll`.
    public let name: String
    /// One sentence.
    public let summary: String
    /// Whether the measured phase begins with the process.
    public let startsAtLaunch: Bool
    /// The parameters.
    public let parameters: [Parameter]
    /// The metrics that the workload reports in addition to the harness's own.
    public let counters: [MetricDefinition]

    /// Creates a description.
    public init(
      name: String, summary: String, startsAtLaunch: Bool, parameters: [Parameter],
      counters: [MetricDefinition]
    ) {
      self.name = name
      self.summary = summary
      self.startsAtLaunch = startsAtLaunch
      self.parameters = parameters
      self.counters = counters
    }
  }

  /// The suite's name.
  public let suite: String
  /// `debug` or `release`.
  public let configuration: String
  /// The version of the compiler that built the worker.
  public let compiler: String
  /// The workloads in the worker's order.
  public let workloads: [Workload]

  /// Creates a description.
  public init(suite: String, configuration: String, compiler: String, workloads: [Workload]) {
    self.suite = suite
    self.configuration = configuration
    self.compiler = compiler
    self.workloads = workloads
  }

  /// Returns the workload with a name.
  public func workload(named name: String) -> Workload? {
    workloads.first { $0.name == name }
  }
}
