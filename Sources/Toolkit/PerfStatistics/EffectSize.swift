internal import Glibc

/// The size of a difference, independent of its significance.
public enum EffectSize {
  /// Returns Cliff's delta: P(second > first) - P(second < first).
  ///
  /// - Parameters:
  ///   - first: The base, at least one value.
  ///   - second: The candidate, at least one value.
  /// - Returns: -1 (all smaller) to 1 (all larger).
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O((*m* + *n*) log(*m* + *n*)).
  /// - Note: Cliff 1993, doi:10.1037/0033-2909.114.3.494.
  public static func cliffsDelta(
    _ first: [Double], _ second: [Double]
  ) throws(StatisticsError) -> Double {
    let first = try checked(first, "the first sample")
    let second = try checked(second, "the second sample")
    let (m, n) = (first.count, second.count)
    // Twice the Mann-Whitney U of the second sample, from its ranks.
    let doubled = Ranks(first + second).doubled[m...].reduce(0, +) - n * (n + 1)
    return Double(doubled) / (Double(m) * Double(n)) - 1
  }

  /// Returns Hedges' g: the difference of the means in pooled standard deviations, corrected for
  /// bias.
  ///
  /// - Parameters:
  ///   - first: The base, at least two values.
  ///   - second: The candidate, at least two values.
  /// - Returns: A positive number if the second mean is larger; nil if the pooled standard
  ///   deviation is 0.
  /// - Throws: `emptySample`, `notFinite`, or `outOfRange` with fewer than two values.
  /// - Note: Hedges 1981, doi:10.3102/10769986006002107.
  public static func hedgesG(
    _ first: [Double], _ second: [Double]
  ) throws(StatisticsError) -> Double? {
    let first = try checked(first, "the first sample")
    let second = try checked(second, "the second sample")
    let degrees = Double(first.count + second.count - 2)
    guard min(first.count, second.count) >= 2 else {
      throw .outOfRange(
        parameter: "the size of a sample", value: Double(min(first.count, second.count)),
        range: "2 and more")
    }
    let (old, new) = (Moments(first), Moments(second))
    let deviation = ((old.squares + new.squares) / degrees).squareRoot()
    guard deviation > 0 else { return nil }
    let correction =
      exp(lgamma(degrees / 2) - lgamma((degrees - 1) / 2)) / (degrees / 2).squareRoot()
    return correction * (new.mean - old.mean) / deviation
  }
}
