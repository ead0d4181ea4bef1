/// Which way a metric should move.
public enum Direction: String, Sendable, Codable {
  case lower
  case higher
  /// Neither is better: shown, never judged.
  case neutral
}

/// How two values of a metric are compared.
public enum MetricScale: String, Sendable, Codable {
  /// By their ratio; the metric is strictly positive.
  case ratio
  /// By their difference in the unit; the metric may be zero or negative.
  case difference
}

/// What a metric means; defined once, in `MetricCatalog` or in the worker's hello.
public struct MetricDefinition: Hashable, Sendable, Codable {
  /// The dotted name, as `frame.hitch_time_ratio`.
  public let name: String
  /// What its values measure; they are stored in the base unit of it.
  public let dimension: Dimension
  /// Which way is better.
  public let direction: Direction
  /// How two values are compared.
  public let scale: MetricScale
  /// Whether equal inputs give equal values, so that budgets compare exactly.
  public let isDeterministic: Bool
  /// One sentence: what it is, and when values are not comparable.
  public let summary: String

  /// Creates a definition.
  public init(
    name: String, dimension: Dimension, direction: Direction, scale: MetricScale,
    isDeterministic: Bool = false, summary: String
  ) {
    self.name = name
    self.dimension = dimension
    self.direction = direction
    self.scale = scale
    self.isDeterministic = isDeterministic
    self.summary = summary
  }

  /// Whether it only says how long others were counted, as `steal.window`: tables leave it out.
  public var isWindow: Bool { name.hasSuffix(".window") }

  /// The unit of stored values.
  public var baseUnit: Unit { Unit.base(of: dimension) }

  /// Whether a value can be one of it: a finite number, which is not negative where values are compared by
  /// their ratio.
  public func isPossible(_ value: Double) -> Bool {
    value.isFinite && (scale == .difference || value >= 0)
  }
}

/// The metrics that the harness computes by itself, and those that a worker declares.
public struct MetricCatalog: Sendable {
  /// Definitions by name.
  public private(set) var definitions: [String: MetricDefinition]

  /// The metrics of the harness.
  public static let standard = MetricCatalog(standardDefinitions)

  /// Creates a catalog; of two definitions of one name the later stands.
  public init(_ definitions: [MetricDefinition]) {
    self.definitions = Dictionary(definitions.map { ($0.name, $0) }) { _, later in later }
  }

  /// Returns a catalog with a worker's counters added; the harness's own definitions stand.
  public func adding(_ counters: [MetricDefinition]) -> MetricCatalog {
    var result = self
    result.definitions.merge(counters.map { ($0.name, $0) }) { own, _ in own }
    return result
  }

  /// Returns the definition of a name.
  public subscript(_ name: String) -> MetricDefinition? { definitions[name] }

  /// All names in alphabetical order.
  public var names: [String] { definitions.keys.sorted() }
}
