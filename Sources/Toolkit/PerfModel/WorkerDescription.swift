/// What a worker says of itself in its hello.
public struct WorkerDescription: Hashable, Sendable {
  /// A parameter that a workload takes.
  public struct Parameter: Hashable, Sendable {
    /// The types a parameter may have.
    public enum Kind: String, Sendable, Codable {
      case int
      case double
      case string
      case bool
    }

    /// Its name in scenario files.
    public let name: String
    /// Its type.
    public let kind: Kind
    /// What it is when nobody says.
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
    /// Its dotted name, as `book.scroll`.
    public let name: String
    /// One sentence.
    public let summary: String
    /// Whether it is measured from the start of its process.
    public let startsAtLaunch: Bool
    /// What it takes.
    public let parameters: [Parameter]
    /// The metrics that it reports beside the harness's own.
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
  /// Version of the compiler that built it.
  public let compiler: String
  /// Its workloads in the order in which it lists them.
  public let workloads: [Workload]

  /// Creates a description.
  public init(suite: String, configuration: String, compiler: String, workloads: [Workload]) {
    self.suite = suite
    self.configuration = configuration
    self.compiler = compiler
    self.workloads = workloads
  }

  /// Returns the workload of a name.
  public func workload(named name: String) -> Workload? {
    workloads.first { $0.name == name }
  }
}
