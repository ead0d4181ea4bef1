internal import Glibc

/// The means of two sides whose launches were made in blocks, in random order within each.
///
/// What the launches of a block share, as a slow spell of the machine, is on both sides of it and cancels.
/// Any launch could as well have been one of the other side of its block: what the test rests on is that
/// draw, not a distribution of the noise. Over all draws the variance of the difference is known, and it
/// is normal but for its ends.
///
/// - Note: Pitman 1937, doi:10.2307/2984124.
struct BlockedMeans {
  /// The mean of the candidate less that of the base.
  let difference: Double
  /// How likely a difference as large as this is when the two sides are one; 0...1.
  let p: Double
  /// The standard error of the difference, each side for itself.
  private let error: Double
  private let degrees: Int

  /// Compares two sides; nil unless each has the same number of whole blocks, at least one, of two
  /// launches or more.
  ///
  /// - Parameters:
  ///   - base: A number a launch, block after block.
  ///   - candidate: The same blocks' launches of the other side.
  ///   - size: How many launches of each side a block has.
  /// - Complexity: O(*launches*).
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
    // A side's mean of `size` launches has 1/size of their variance, and there are two sides.
    let scale = 2 / Double(size) / (blocks * blocks)
    error = (apart * scale).squareRoot()
    let spread = (drawn * scale).squareRoot()
    // No draw is likelier than one of them all, or than it and its mirror image.
    let draws = (1...size).reduce(1.0) { $0 * Double(size + $1) / Double($1) }
    let least = 2 * pow(draws, -blocks)
    p =
      spread > 0
      ? max(least, 2 * Distributions.normalCumulative(-difference.magnitude / spread)) : 1
  }

  /// Returns the interval of the difference.
  ///
  /// - Parameter rate: How often it may miss the difference, strictly between 0 and 1.
  /// - Returns: The interval around `difference`.
  /// - Note: Neyman 1923, doi:10.1214/ss/1177012031; the sides may scatter differently, so it is not made of
  ///   the spread that the test takes.
  func interval(error rate: Double) -> ClosedRange<Double> {
    let reach = error * Distributions.studentTwoSided(confidence: 1 - rate, degrees: degrees)
    return (difference - reach)...(difference + reach)
  }
}
