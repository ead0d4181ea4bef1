/// A statement on what the variants of a scenario must show.
///
/// The value of a metric of a variant is the median of its launches.
public struct ScenarioExpectation: Hashable, Sendable, CustomStringConvertible {
  /// The relation between the two sides.
  package enum Relation: String, Hashable, Sendable, CaseIterable {
    case atMost = "<="
    case atLeast = ">="
    case equal = "=="
    case below = "<"
    case above = ">"

    /// Returns whether two values have the relation.
    package func holds(_ left: Double, _ right: Double) -> Bool {
      switch self {
      case .atMost: left <= right
      case .atLeast: left >= right
      case .equal: left == right
      case .below: left < right
      case .above: left > right
      }
    }
  }

  /// A metric of a variant.
  package struct Reading: Hashable, Sendable, CustomStringConvertible {
    /// The metric's name.
    package let metric: String
    /// The variant's name.
    package let variant: String

    /// Creates a reading.
    package init(metric: String, variant: String) {
      self.metric = metric
      self.variant = variant
    }

    /// `METRIC(VARIANT)`, the name of the reading in a formula.
    package var description: String { "\(metric)(\(variant))" }
  }

  /// The text of the scenario file.
  public let description: String
  /// The left side; its metrics are named by `Reading.description`.
  package let left: Formula
  package let relation: Relation
  package let right: Formula
  /// The readings of both sides, each once.
  package let readings: [Reading]

  /// Creates an expectation.
  package init(
    _ text: String, left: Formula, _ relation: Relation, right: Formula, readings: [Reading]
  ) {
    description = text
    self.left = left
    self.relation = relation
    self.right = right
    self.readings = readings.uniqued()
  }

  /// The names of the variants, each once.
  public var variants: [String] { readings.map(\.variant).uniqued() }
  /// The names of the metrics, each once.
  public var metrics: [String] { readings.map(\.metric).uniqued() }
}

/// The verdict on an expectation.
public enum ExpectationVerdict: String, Sendable, Codable {
  case kept
  case broken
  /// The bound is met, but the measurement cannot show a contrast.
  case notTestable = "not testable"
  /// A variant has no run, or its launches lack a metric.
  case notMeasured = "not measured"
}

/// An expectation with its measured values.
public struct ExpectationResult: Hashable, Sendable {
  /// The expectation.
  public let expectation: ScenarioExpectation
  /// The verdict.
  public let verdict: ExpectationVerdict
  /// The value of the left side in base units; nil if it was not measured.
  public let left: Double?
  /// The value of the right side in base units; nil if it was not measured.
  public let right: Double?
  /// The dimension of both sides; nil for plain numbers.
  public let dimension: Dimension?
  /// The reason of the verdict; empty if the values suffice.
  public let reason: String
  /// The ids of the judged runs.
  public let runs: [String]

  /// Creates a result.
  public init(
    _ expectation: ScenarioExpectation, _ verdict: ExpectationVerdict, left: Double? = nil,
    right: Double? = nil, dimension: Dimension? = nil, reason: String = "", runs: [String] = []
  ) {
    self.expectation = expectation
    self.verdict = verdict
    self.left = left
    self.right = right
    self.dimension = dimension
    self.reason = reason
    self.runs = runs
  }
}
