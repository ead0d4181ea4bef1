internal import Glibc

/// The difference of the means of two sides whose launches were in random order within blocks.
///
/// A disturbance shared by a block, such as a slow phase of the machine, affects both sides and
/// cancels. The test relies on the random order alone, not on a distribution of the noise: each
/// launch could have belonged to the other side of its block. The variance over all orders is
/// known, and the distribution is normal apart from its tails.
///
/// - Note: Pitman 1937, doi:10.2307/2984124.
struct BlockedMeans {
  /// The mean of the candidate minus the mean of the base.
  let difference: Double
  /// The two-sided p-value of "no difference".
  let p: Double
  /// The standard error of the difference, from the variance within each side.
  private let error: Double
  private let degrees: Int

  /// Compares two sides; nil unless both have equally many complete blocks of two or more launches.
  init?(_ base: [Double], _ candidate: [Double], blocksOf size: Int) {
    guard size >= 2, !base.isEmpty, base.count == candidate.count,
      base.count.isMultiple(of: size)
    else { return nil }
    var (sum, drawn, apart) = (0.0, 0.0, 0.0)
    for start in stride(from: 0, to: base.count, by: size) {
      let (old, new) = (base[start..<(start + size)], candidate[start..<(start + size)])
      let (before, after) = (Moments(old), Moments(new))
      sum += after.mean - before.mean
      drawn += Moments(old + new).squares / Double(2 * size - 1)
      apart += (before.squares + after.squares) / Double(2 * (size - 1))
    }
    let blocks = Double(base.count / size)
    difference = sum / blocks
    degrees = base.count / size * 2 * (size - 1)
    // The variance of a side's mean is 1/size of its launches' variance, and there are two sides.
    let scale = 2 / Double(size) / (blocks * blocks)
    error = (apart * scale).squareRoot()
    let spread = (drawn * scale).squareRoot()
    // The smallest p-value is that of a single order and its mirror image.
    let draws = (1...size).reduce(1.0) { $0 * Double(size + $1) / Double($1) }
    let least = 2 * pow(draws, -blocks)
    p =
      spread > 0
      ? max(least, 2 * Distributions.normalCumulative(-difference.magnitude / spread)) : 1
  }

  /// Returns the confidence interval of the difference.
  ///
  /// - Note: Neyman 1923, doi:10.1214/ss/1177012031. The variances of the sides may differ, so the
  ///   interval does not use the variance of the test.
  func interval(error rate: Double) -> ClosedRange<Double> {
    let reach = error * Distributions.studentTwoSided(confidence: 1 - rate, degrees: degrees)
    return (difference - reach)...(difference + reach)
  }
}
