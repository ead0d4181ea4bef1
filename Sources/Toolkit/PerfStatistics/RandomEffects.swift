internal import Glibc

/// One effect from several measurements, each of which has its own error and its own true effect.
///
/// The true effects are normally distributed around the common effect. Their variance is estimated by restricted
/// maximum likelihood (Viechtbauer 2005, doi:10.3102/10769986030003261), from DerSimonian and Laird's estimate
/// (1986, doi:10.1016/0197-2456(86)90046-2). The interval is that of Hartung and Knapp (2001,
/// doi:10.1002/sim.791), and never narrower than Student's interval without their factor (Röver, Knapp and Friede
/// 2015, doi:10.1186/s12874-015-0091-1).
public struct RandomEffects: Hashable, Sendable {
  /// The effect of one measurement and its standard error, in the same unit.
  public struct Measurement: Hashable, Sendable {
    /// The effect.
    public let effect: Double
    /// The standard error, at least 0.
    public let standardError: Double

    /// Creates a measurement.
    public init(effect: Double, standardError: Double) {
      (self.effect, self.standardError) = (effect, standardError)
    }
  }

  /// The common effect.
  public let effect: Double
  /// The 95 % interval of the true effect of a further measurement; nil with fewer than three measurements.
  public let prediction: ClosedRange<Double>?
  /// The standard deviation of the true effects (tau).
  public let deviation: Double
  /// The share of the measurements' variance that their errors do not explain (I^2), 0...1.
  public let heterogeneity: Double
  /// Cochran's Q: the weighted sum of squares around the effect without heterogeneity.
  public let cochranQ: Double
  /// The weight of each measurement in the effect; the sum is 1.
  public let weights: [Double]
  /// The standard error of the common effect.
  private let standardError: Double

  /// The relative error that every measurement has at least: equal values still have a rounding error.
  private static let leastError = 1e-9

  /// Combines measurements.
  ///
  /// - Parameter measurements: At least two, all of them finite.
  /// - Throws: `StatisticsError.emptySample`, `notFinite`, or `outOfRange` for a single one.
  public init(_ measurements: [Measurement]) throws(StatisticsError) {
    let effects = try checked(measurements.map(\.effect), "the effects")
    let errors = try checked(measurements.map(\.standardError), "the standard errors")
    guard effects.count >= 2 else {
      throw .outOfRange(
        parameter: "the number of measurements", value: Double(effects.count), range: "at least 2")
    }
    let degrees = effects.count - 1
    let size = effects.map(abs).reduce(errors.map(abs).reduce(0, max), max)
    let least = max(Self.leastError * size, .leastNormalMagnitude.squareRoot())
    let variances = errors.map { max($0 * $0, least * least) }

    let fixed = Fit(effects, variances, variance: 0)
    cochranQ = fixed.squares
    let weight = fixed.total - fixed.weights.map { $0 * $0 }.reduce(0, +) / fixed.total
    let typical = Double(degrees) / weight
    let variance = Self.variance(
      effects, variances, from: max(0, (fixed.squares - Double(degrees)) / weight))
    deviation = variance.squareRoot()
    heterogeneity = variance / (variance + typical)

    let fit = Fit(effects, variances, variance: variance)
    effect = fit.effect
    weights = fit.weights.map { $0 / fit.total }
    standardError = (max(1, fit.squares / Double(degrees)) / fit.total).squareRoot()
    // Higgins, Thompson and Spiegelhalter 2009, doi:10.1111/j.1467-985X.2008.00552.x.
    prediction =
      degrees < 2
      ? nil
      : Self.range(
        around: fit.effect, (variance + standardError * standardError).squareRoot(),
        confidence: 0.95, degrees: degrees - 1)
  }

  /// Returns the interval of the common effect; the confidence is strictly between 0 and 1.
  public func interval(confidence: Double = 0.95) -> ClosedRange<Double> {
    Self.range(
      around: effect, standardError, confidence: confidence, degrees: weights.count - 1)
  }

  private static func range(
    around centre: Double, _ deviation: Double, confidence: Double, degrees: Int
  ) -> ClosedRange<Double> {
    let reach =
      deviation * Distributions.studentTwoSided(confidence: confidence, degrees: degrees)
    return centre - reach...centre + reach
  }

  /// The weighted mean for one variance of the true effects.
  private struct Fit {
    let weights: [Double]
    let total: Double
    let effect: Double
    /// The weighted sum of squares around the effect.
    let squares: Double

    init(_ effects: [Double], _ variances: [Double], variance: Double) {
      let weights = variances.map { 1 / ($0 + variance) }
      let total = weights.reduce(0, +)
      let effect = zip(weights, effects).map(*).reduce(0, +) / total
      (self.weights, self.total, self.effect) = (weights, total, effect)
      squares = zip(weights, effects).map { $0 * ($1 - effect) * ($1 - effect) }.reduce(0, +)
    }
  }

  /// Returns the variance with the greatest restricted likelihood, by Fisher's scoring from a start.
  private static func variance(
    _ effects: [Double], _ variances: [Double], from start: Double
  ) -> Double {
    var variance = start
    for _ in 0..<200 {
      let fit = Fit(effects, variances, variance: variance)
      let numerator = zip(fit.weights, zip(effects, variances)).map { weight, value in
        let distance = value.0 - fit.effect
        return weight * weight * (distance * distance - value.1)
      }.reduce(0, +)
      let denominator = fit.weights.map { $0 * $0 }.reduce(0, +)
      let next = max(0, numerator / denominator + 1 / fit.total)
      if abs(next - variance) <= 1e-12 * max(next, variances.min() ?? 0) { return next }
      variance = next
    }
    return variance
  }
}
