internal import Glibc

/// The error budget of a sequence of tests whose number is not known in advance: LORD++.
///
/// Each test gets a level from the results of the earlier ones. If each test keeps its level, at
/// most the share `rate` of the discoveries is false on average, at any time. Without a true effect
/// the probability of any discovery is at most `rate`. A discovery earns levels for later tests.
///
/// - Note: Ramdas, Yang, Wainwright and Jordan 2017, "Online control of the false discovery rate with
///   decaying memory", https://arxiv.org/abs/1710.00499, equation 9; the weights are from Javanmard
///   and Montanari 2018, doi:10.1214/17-AOS1559, equation 31.
public struct OnlineErrorBudget: Sendable {
  /// The expected share of false discoveries.
  public let rate: Double
  /// The part of the rate that is available before the first discovery.
  public let wealth: Double

  /// Creates a budget; by default one discovery in twenty is false, and half is available at first.
  public init(rate: Double = 0.05, wealth: Double? = nil) {
    self.rate = rate
    self.wealth = min(wealth ?? rate / 2, rate)
  }

  /// Returns the level of the next test.
  ///
  /// - Parameter discoveries: Whether each earlier test was a discovery, in order.
  /// - Returns: A probability.
  public func level(after discoveries: [Bool]) -> Double {
    let test = discoveries.count + 1
    let times = discoveries.indices.filter { discoveries[$0] }.map { test - ($0 + 1) }
    return Self.weight(test) * wealth
      + (times.first.map { Self.weight($0) * (rate - wealth) } ?? 0)
      + times.dropFirst().reduce(0) { $0 + Self.weight($1) * rate }
  }

  /// Returns the number of gating metrics among which each has the error `level` over all looks.
  public static func gatingCount(level: Double) -> Int {
    max(1, Int((RunComparer.alpha / level).rounded(.up)))
  }

  /// Returns the weight of a number of tests since a payment; all weights sum to 1.
  private static func weight(_ number: Int) -> Double {
    let number = Double(number)
    return 0.07720838 * log(max(number, 2)) / (number * exp(log(number).squareRoot()))
  }
}
