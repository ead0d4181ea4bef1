public import PerfModel

/// The summary of a metric over the measured launches of a run.
public struct MetricSummary: Hashable, Sendable {
  /// The metric.
  public let definition: MetricDefinition
  /// The values of the launches that have the metric, in order and in base units; at least one.
  public let values: [Double]
  /// The median.
  public let median: Double
  /// The lower limit of the 95 % interval of the median; nil with fewer than 6 values.
  public let low: Double?
  /// The upper limit of the 95 % interval of the median; nil with fewer than 6 values.
  public let high: Double?
  /// The indices of outliers in `values`, ascending.
  public let outliers: [Int]

  /// Summarises values; nil if there are none, or one is not finite.
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
