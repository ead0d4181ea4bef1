public import PerfModel

/// What the measured launches of a run say of a metric.
public struct MetricSummary: Hashable, Sendable {
  /// The metric.
  public let definition: MetricDefinition
  /// One value for each launch that has it, in their order, in base units; at least one.
  public let values: [Double]
  /// The median.
  public let median: Double
  /// The lower limit of its 95 % interval; nil with fewer than 6 values.
  public let low: Double?
  /// The upper limit; nil with fewer than 6 values.
  public let high: Double?
  /// Positions in `values` of those that lie far from the rest, ascending.
  public let outliers: [Int]

  /// Summarises values.
  ///
  /// - Returns: Nil when there are none, or one is no finite number.
  public init?(_ definition: MetricDefinition, values: [Double]) {
    guard let estimate = try? Quantiles.estimate(0.5, of: values),
      let outliers = try? Outliers.indices(in: values)
    else { return nil }
    self.definition = definition
    self.values = values
    median = estimate.value
    low = estimate.low
    high = estimate.high
    self.outliers = outliers
  }

  /// Returns the summaries of all metrics of a run, in the order of its definitions.
  public static func summaries(of run: Run) -> [MetricSummary] {
    run.definitions.compactMap { MetricSummary($0, values: run.values(of: $0.name)) }
  }
}
