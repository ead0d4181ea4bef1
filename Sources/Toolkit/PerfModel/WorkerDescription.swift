/// The worker's description of itself in its hello message.
public struct WorkerDescription: Equatable, Sendable {
  /// A workload of the worker.
  public struct Workload: Equatable, Sendable {
    /// The dotted name, such as `book.scroll`.
    public let name: String
    /// One sentence.
    public let summary: String
    /// Whether the measured phase begins with the process.
    public let startsAtLaunch: Bool
    package let parameters: [Hello.Parameter]
    /// The metrics that the workload reports in addition to the harness's own.
    public let counters: [MetricDefinition]

    package init(
      name: String, summary: String, startsAtLaunch: Bool, parameters: [Hello.Parameter],
      counters: [MetricDefinition]
    ) {
      self.name = name
      self.summary = summary
      self.startsAtLaunch = startsAtLaunch
      self.parameters = parameters
      self.counters = counters
    }

    /// The default values of the parameters by name.
    public var defaults: Parameters {
      Dictionary(parameters.map { ($0.name, $0.defaultValue) }) { first, _ in first }
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

  package init(suite: String, configuration: String, compiler: String, workloads: [Workload]) {
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
