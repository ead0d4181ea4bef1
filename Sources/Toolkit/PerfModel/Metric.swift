/// The direction in which a metric improves.
public enum Direction: String, Sendable, Codable {
  case lower
  case higher
  /// The metric has no better direction: it is shown, but not judged.
  case neutral
}

/// The way in which two values of a metric are compared.
public enum MetricScale: String, Sendable, Codable {
  /// By their ratio. The metric is strictly positive.
  case ratio
  /// By their difference in the unit. The metric may be zero or negative.
  case difference
}

/// The meaning of a metric, defined once in `MetricCatalog` or in the worker's hello message.
public struct MetricDefinition: Hashable, Sendable, Codable {
  /// The dotted name, such as `frame.hitch_time_ratio`.
  public let name: String
  /// The kind of quantity; values are stored in its base unit.
  public let dimension: Dimension
  /// The direction in which the metric improves.
  public let direction: Direction
  /// The way in which two values are compared.
  public let scale: MetricScale
  /// Whether equal inputs give equal values, so that budgets compare exactly.
  public let isDeterministic: Bool
  /// One sentence on the meaning, and on when values cannot be compared.
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

  /// Whether the metric is the time over which others were counted, such as `steal.window`.
  ///
  /// Tables leave these metrics out.
  public var isWindow: Bool { name.hasSuffix(".window") }

  /// The unit of stored values.
  public var baseUnit: Unit { Unit.base(of: dimension) }

  /// Returns whether a value is possible: finite, also if it is squared and added, and not negative if values
  /// are compared by ratio.
  public func isPossible(_ value: Double) -> Bool {
    value.magnitude < 1e150 && (scale == .difference || value >= 0)
  }
}

/// The metrics that the harness computes, and the counters that a worker declares.
public struct MetricCatalog: Sendable {
  /// Definitions by name.
  public private(set) var definitions: [String: MetricDefinition]

  /// The harness's own metrics.
  public static let standard = MetricCatalog(standardDefinitions)

  /// Creates a catalog; the later of two definitions with one name is used.
  public init(_ definitions: [MetricDefinition]) {
    self.definitions = Dictionary(definitions.map { ($0.name, $0) }) { _, later in later }
  }

  /// Returns a catalog with a worker's counters added; definitions of the harness take precedence.
  public func adding(_ counters: [MetricDefinition]) -> MetricCatalog {
    var result = self
    result.definitions.merge(counters.map { ($0.name, $0) }) { own, _ in own }
    return result
  }

  /// Returns the definition with a name.
  public subscript(_ name: String) -> MetricDefinition? { definitions[name] }

  /// All names in alphabetical order.
  public var names: [String] { definitions.keys.sorted() }
}
