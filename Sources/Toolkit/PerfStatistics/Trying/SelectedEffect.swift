internal import Glibc

/// The estimate of an effect that is reported only because its estimate exceeded a threshold.
///
/// Such estimates are too large on average (the winner's curse). The likelihood of an effect given
/// that it was selected is φ(z - μ) / (Φ(μ - c) + Φ(-μ - c)), for an estimate of z and a threshold
/// of c standard errors. The estimate is the average of its maximum and its mean.
///
/// - Note: Ghosh, Zou and Wright 2008, doi:10.1016/j.ajhg.2008.03.002; see also Zhong and Prentice
///   2008, doi:10.1093/biostatistics/kxn001.
struct SelectedEffect {
  /// The effect with the largest likelihood, in standard errors.
  let maximum: Double
  /// The mean of the normalised likelihood, in standard errors.
  let mean: Double

  /// The average of both, in standard errors.
  var compromise: Double { (maximum + mean) / 2 }

  /// Estimates an effect; estimate and threshold are positive and in standard errors.
  ///
  /// - Complexity: O(1), some thousand evaluations of the likelihood.
  init(estimate z: Double, threshold c: Double) {
    let steps = 8000
    // The likelihood is negligible ten standard errors beyond the estimate on both sides.
    let end = z + 10
    let points = (0...steps).map { -end + 2 * end * Double($0) / Double(steps) }
    let logs = points.map { -($0 - z) * ($0 - z) / 2 - Self.logSelection($0, c) }
    let top = logs.max() ?? 0
    let weights = logs.map { exp($0 - top) }
    let sum = weights.reduce(0, +)
    mean = zip(points, weights).reduce(0) { $0 + $1.0 * $1.1 } / sum
    let best = zip(points, logs).filter { (0...z).contains($0.0) }.max { $0.1 < $1.1 }
    maximum = best?.0 ?? z
  }

  /// Returns the logarithm of the probability that an effect is selected.
  private static func logSelection(_ effect: Double, _ threshold: Double) -> Double {
    let (near, far) = (
      logTail(threshold - effect.magnitude), logTail(threshold + effect.magnitude)
    )
    return near + log1p(exp(far - near))
  }

  /// Returns log P(Z > z); the tail underflows from 38 on.
  private static func logTail(_ z: Double) -> Double {
    z < 30
      ? log(Distributions.normalCumulative(-z))
      : -z * z / 2 - log(z * (2 * Double.pi).squareRoot())
  }
}
