/// The first message of a worker: its protocol version, its build and its workloads.
package struct Hello: Equatable, Sendable, Codable {
  /// The protocol version that this package speaks.
  package static let knownVersion = 1

  /// The protocol version that the worker speaks.
  package let version: Int
  /// The name of the suite.
  package let suite: String
  /// How the worker was built; nil when the worker does not report it.
  package let build: Build?
  /// The workloads, in the order in which `perfkit list` prints them.
  package let workloads: [Workload]

  package struct Build: Equatable, Sendable, Codable {
    /// `debug` or `release`.
    package let configuration: String?
    /// The version of the compiler.
    package let compiler: String?

    package init(configuration: String?, compiler: String?) {
      self.configuration = configuration
      self.compiler = compiler
    }
  }

  package struct Workload: Equatable, Sendable, Codable {
    package let name: String
    package let summary: String?
    package let startsAtLaunch: Bool?
    package let parameters: [Parameter]?
    package let counters: [Counter]?

    package init(
      name: String, summary: String?, startsAtLaunch: Bool?, parameters: [Parameter]?,
      counters: [Counter]?
    ) {
      self.name = name
      self.summary = summary
      self.startsAtLaunch = startsAtLaunch
      self.parameters = parameters
      self.counters = counters
    }

    private enum CodingKeys: String, CodingKey {
      case name
      case summary
      case startsAtLaunch = "starts_at_launch"
      case parameters
      case counters
    }
  }

  package struct Parameter: Equatable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable {
      case int
      case double
      case string
      case bool
    }

    package let name: String
    package let kind: Kind
    package let defaultValue: ParameterValue
    package let summary: String?
    /// The allowed strings; nil allows every string.
    package let choices: [String]?
    /// The smallest allowed number; nil allows every number.
    package let minimum: Double?
    /// The largest allowed number; nil allows every number.
    package let maximum: Double?

    package init(
      name: String, kind: Kind, defaultValue: ParameterValue, summary: String?,
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

    private enum CodingKeys: String, CodingKey {
      case name
      case kind = "type"
      case defaultValue = "default"
      case summary
      case choices
      case minimum
      case maximum
    }
  }

  /// A counter that a workload reports, which becomes a metric.
  package struct Counter: Equatable, Sendable, Codable {
    package let name: String
    /// `ns`, `B`, `count`, `ratio`, `ms/s` or `fps`.
    package let unit: String
    /// `lower`, `higher` or `neutral`: which values are better.
    package let direction: String
    /// `ratio` or `difference`: how two values are compared.
    package let scale: String?
    package let summary: String?
    /// Whether equal parameters and seeds yield equal values on every machine.
    package let isDeterministic: Bool?

    package init(
      name: String, unit: String, direction: String, scale: String?, summary: String?,
      isDeterministic: Bool?
    ) {
      self.name = name
      self.unit = unit
      self.direction = direction
      self.scale = scale
      self.summary = summary
      self.isDeterministic = isDeterministic
    }

    private enum CodingKeys: String, CodingKey {
      case name
      case unit
      case direction
      case scale
      case summary
      case isDeterministic = "deterministic"
    }
  }

  /// Creates a message of the known version.
  package init(suite: String, build: Build, workloads: [Workload]) {
    version = Self.knownVersion
    self.suite = suite
    self.build = build
    self.workloads = workloads
  }

  private enum CodingKeys: String, CodingKey {
    case version = "protocol"
    case suite
    case build
    case workloads
  }

  /// Reads a message; of an unknown version, reads only the version.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    version = try values.decode(Int.self, forKey: .version)
    guard version == Self.knownVersion else {
      suite = ""
      build = nil
      workloads = []
      return
    }
    suite = try values.decode(String.self, forKey: .suite)
    build = try values.decodeIfPresent(Build.self, forKey: .build)
    workloads = try values.decode([Workload].self, forKey: .workloads)
  }
}
