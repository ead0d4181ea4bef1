internal import Glibc

/// The probability distributions of the tests and intervals.
enum Distributions {
  /// Returns P(Z <= z) of the standard normal distribution.
  static func normalCumulative(_ z: Double) -> Double { 0.5 * erfc(-z / 2.0.squareRoot()) }

  /// Returns the z with P(Z <= z) = `probability`, strictly between 0 and 1.
  static func normalQuantile(_ probability: Double) -> Double {
    // The upper half mirrors the lower one, where the distribution function has full precision.
    guard probability <= 0.5 else { return -normalQuantile(1 - probability) }
    return root(low: -40, high: 0) { normalCumulative($0) < probability }
  }

  /// Returns P(|T| <= t) of Student's distribution for t >= 0 and at least one degree of freedom.
  ///
  /// - Complexity: O(`degrees`).
  /// - Note: Abramowitz and Stegun 1964, 26.7.3 and 26.7.4.
  static func studentCentral(_ t: Double, degrees: Int) -> Double {
    let angle = atan(t / Double(degrees).squareRoot())
    let (sine, cosine) = (sin(angle), cos(angle))
    let isOdd = !degrees.isMultiple(of: 2)
    var term = isOdd ? cosine : 1
    var sum = degrees == 1 ? 0 : term
    var factor = isOdd ? 2.0 : 1.0
    while factor <= Double(degrees - 3) {
      term *= cosine * cosine * factor / (factor + 1)
      sum += term
      factor += 2
    }
    return isOdd ? (angle + sine * sum) * 2 / Double.pi : sine * sum
  }

  /// Returns the t with P(|T| <= t) = `confidence`, strictly between 0 and 1.
  static func studentTwoSided(confidence: Double, degrees: Int) -> Double {
    var high = 1.0
    while studentCentral(high, degrees: degrees) < confidence, high < 1e9 { high *= 2 }
    return root(low: 0, high: high) { studentCentral($0, degrees: degrees) < confidence }
  }

  /// Returns P(B <= k) of the binomial distribution, ascending, for k from 0 to `last`; by default to
  /// `count`, where it is 1.
  static func binomialCumulative(
    count: Int, probability: Double, through last: Int? = nil
  ) -> [Double] {
    let last = last ?? count
    var cumulative: [Double] = []
    cumulative.reserveCapacity(last + 1)
    // Logarithms are used because (1 - p)^n underflows from some thousand trials on.
    let logOdds = log(probability) - log1p(-probability)
    var logTerm = Double(count) * log1p(-probability)
    var sum = 0.0
    for successes in 0...last {
      if successes > 0 {
        logTerm += log(Double(count - successes + 1) / Double(successes)) + logOdds
      }
      sum += exp(logTerm)
      cumulative.append(successes == count ? 1 : min(sum, 1))
    }
    return cumulative
  }

  /// Returns the parameter for which P(B <= `successes`) is `probability`, exact to the last bit.
  static func binomialParameter(
    count: Int, atMost successes: Int, has probability: Double
  ) -> Double {
    root(low: 0, high: 1) {
      binomialCumulative(count: count, probability: $0, through: successes)[successes] > probability
    }
  }

  /// Returns the point where a predicate changes from true to false, exact to the last bit.
  private static func root(low: Double, high: Double, isBelow: (Double) -> Bool) -> Double {
    var (low, high) = (low, high)
    while true {
      let middle = low + (high - low) / 2
      guard middle > low, middle < high else { return middle }
      if isBelow(middle) { low = middle } else { high = middle }
    }
  }
}
