/// The detection of values that are far from the rest; no value is ever removed.
public enum Outliers {
  /// The modified z-score beyond which a value is an outlier.
  public static let limit = 3.5

  /// Returns modified z-scores: distances from the median in standard deviations of normal data.
  ///
  /// The spread is the median absolute deviation. If more than half of the values are equal, it is
  /// zero, and the mean absolute deviation is used instead. If all values are equal, every score is
  /// 0.
  ///
  /// - Note: Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers.
  public static func scores(_ values: [Double]) throws(StatisticsError) -> [Double] {
    let median = try Quantiles.median(of: values)
    let deviations = values.map { ($0 - median).magnitude }
    // 1 / 0.6745 and sqrt(pi / 2) convert the deviations to standard deviations of normal data.
    let middle = try Quantiles.median(of: deviations) * 1.482602218505602
    let mean = deviations.reduce(0, +) / Double(values.count) * 1.2533141373155003
    let spread = middle > 0 ? middle : mean
    guard spread > 0 else { return values.map { _ in 0 } }
    return values.map { ($0 - median) / spread }
  }

  /// Returns the indices of the outliers in ascending order.
  public static func indices(in values: [Double]) throws(StatisticsError) -> [Int] {
    let scores = try scores(values)
    return scores.indices.filter { scores[$0].magnitude > limit }
  }
}
