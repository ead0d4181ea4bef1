internal import Glibc

/// How large a difference is, apart from how sure it is.
public enum EffectSize {
  /// Returns Cliff's delta: how much more often a value of the second sample exceeds one of the first
  /// than the other way round.
  ///
  /// - Parameters:
  ///   - first: The base, at least one value.
  ///   - second: The candidate, at least one value.
  /// - Returns: -1 (all smaller) to 1 (all larger); 0 when neither exceeds the other more often.
  /// - Throws: `emptySample` or `notFinite`.
  /// - Complexity: O((*m* + *n*) log(*m* + *n*)).
  /// - Note: Cliff 1993, doi:10.1037/0033-2909.114.3.494.
  public static func cliffsDelta(
    _ first: [Double], _ second: [Double]
  ) throws(StatisticsError) -> Double {
    let first = try checked(first, "the first sample")
    let second = try checked(second, "the second sample")
    let (m, n) = (first.count, second.count)
    // Mann and Whitney's U of the second sample, twice, from its ranks.
    let doubled = Ranks(first + second).doubled[m...].reduce(0, +) - n * (n + 1)
    return Double(doubled) / (Double(m) * Double(n)) - 1
  }

  /// Returns Hedges' g: the difference of the means in units of the common standard deviation, without
  /// the bias of small samples.
  ///
  /// - Parameters:
  ///   - first: The base, at least two values.
  ///   - second: The candidate, at least two values.
  /// - Returns: Positive when the second is larger; nil when no value differs from its mean.
  /// - Throws: `emptySample`, `notFinite` or `outOfRange` with fewer than two values.
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
