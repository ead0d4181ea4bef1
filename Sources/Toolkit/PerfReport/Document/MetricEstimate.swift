public import PerfModel

/// A metric of a run with its values and what follows from them.
public struct MetricEstimate: Hashable, Sendable {
  /// The metric.
  public let definition: MetricDefinition
  /// Its values in base units, one a measured launch, in order of the launches.
  public let values: [Double]
  /// Their median; nil without values.
  public let median: Double?
  /// Lower end of the 95 % interval of the median; nil with fewer than six values.
  public let low: Double?
  /// Upper end.
  public let high: Double?

  /// Creates an estimate.
  public init(
    definition: MetricDefinition, values: [Double], median: Double?, low: Double?, high: Double?
  ) {
    self.definition = definition
    self.values = values
    self.median = median
    self.low = low
    self.high = high
  }
}
