/// Marks values that lie far from the rest; nothing is ever removed.
public enum Outliers {
  /// The modified z-score beyond which a value is marked.
  public static let limit = 3.5

  /// Returns the modified z-scores of values: how far each lies from the median, in units that are
  /// standard deviations for normal data.
  ///
  /// The spread is the median absolute deviation. Where more than half of the values are equal that
  /// is zero, and the mean absolute deviation stands in; where all are equal every score is 0.
  ///
  /// - Parameter values: At least one.
  /// - Returns: A score for each value, in their order.
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O(*n* log *n*) time, O(*n*) memory.
  /// - Note: Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers.
  public static func scores(_ values: [Double]) throws(StatisticsError) -> [Double] {
    let median = try Quantiles.median(of: values)
    let deviations = values.map { ($0 - median).magnitude }
    // 1 / 0.6745 and sqrt(pi / 2) turn the deviations into standard deviations of normal data.
    let middle = try Quantiles.median(of: deviations) * 1.482602218505602
    let mean = deviations.reduce(0, +) / Double(values.count) * 1.2533141373155003
    let spread = middle > 0 ? middle : mean
    guard spread > 0 else { return values.map { _ in 0 } }
    return values.map { ($0 - median) / spread }
  }

  /// Returns the positions of the values whose score lies beyond `limit`.
  ///
  /// - Parameter values: At least one.
  /// - Returns: Indices, ascending; empty when nothing is far.
  /// - Throws: `emptySample` or `notFinite`.
  public static func indices(in values: [Double]) throws(StatisticsError) -> [Int] {
    let scores = try scores(values)
    return scores.indices.filter { scores[$0].magnitude > limit }
  }
}
