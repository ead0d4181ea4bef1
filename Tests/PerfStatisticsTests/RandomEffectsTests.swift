import Glibc
import Testing

@testable import PerfStatistics

/// Thirteen trials of a vaccine against tuberculosis.
///
/// Colditz and others 1994, doi:10.1001/jama.1994.03510380076038,
/// the example of Knapp and Hartung (2003, doi:10.1002/sim.1482) and of the R package metafor (`dat.bcg`).
struct RandomEffectsTests {
  /// The cases and the others with the vaccine, then without it.
  private static let trials: [(Double, Double, Double, Double)] = [
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619),
    (33, 5036, 47, 5761), (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892),
    (29, 7470, 45, 7232), (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338),
    (27, 16886, 29, 17825),
  ]

  /// The logarithms of the relative risks.
  private static let measurements = trials.map { a, b, c, d in
    RandomEffects.Measurement(
      effect: log(a / (a + b) / (c / (c + d))),
      standardError: (1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)).squareRoot())
  }

  private func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }

  /// metafor 4: `rma(yi, vi, data=dat, test="knha")`.
  @Test func `the vaccine's trials have the published effect and heterogeneity`() throws {
    let found = try RandomEffects(Self.measurements)
    #expect(rounded(found.effect) == -0.7145)
    #expect(rounded(found.deviation * found.deviation) == 0.3132)
    #expect(rounded(found.cochranQ) == 152.2330)
    #expect(rounded(found.heterogeneity) == 0.9222)
    // Hartung and Knapp's standard error is 0.1808, and t is 2.1788 for 12 degrees of freedom.
    #expect(rounded(found.interval().lowerBound) == -1.1084)
    #expect(rounded(found.interval().upperBound) == -0.3206)
    // t is 2.2010 for 11 degrees: -0.7145 ± 2.2010 * sqrt(0.3132 + 0.1808^2).
    let prediction = try #require(found.prediction)
    #expect(abs(prediction.lowerBound + 2.0091) < 1e-3)
    #expect(abs(prediction.upperBound - 0.5800) < 1e-3)
    #expect(abs(found.weights.reduce(0, +) - 1) < 1e-12)
  }

  @Test func `equal effects have no heterogeneity, and their interval is that of their errors`()
    throws
  {
    let found = try RandomEffects(
      Array(repeating: .init(effect: 0.03, standardError: 0.01), count: 4))
    #expect(found.deviation == 0)
    #expect(found.heterogeneity == 0)
    // Hartung and Knapp's factor alone would be 0: t is 3.1824 for 3 degrees of freedom.
    #expect(abs(found.interval().upperBound - (0.03 + 3.1824 * 0.01 / 2)) < 1e-6)
  }

  @Test func `measurements that contradict each other leave the effect open`() throws {
    let found = try RandomEffects([
      .init(effect: -0.05, standardError: 0.001), .init(effect: 0.05, standardError: 0.001),
    ])
    #expect(found.interval().contains(0))
    #expect(found.heterogeneity > 0.99)
    #expect(found.prediction == nil)
  }

  @Test func `effects without an error are weighted equally`() throws {
    let found = try RandomEffects([0.01, 0.02, 0.03].map { .init(effect: $0, standardError: 0) })
    #expect(abs(found.effect - 0.02) < 1e-12)
    // The standard deviation 0.01 of three values, with t 4.3027: 0.02 ± 4.3027 * 0.01 / sqrt(3).
    #expect(abs(found.interval().upperBound - (0.02 + 4.3027 * 0.01 / 3.0.squareRoot())) < 1e-6)
  }

  @Test func `one measurement, or one that is not finite, is refused`() {
    #expect(throws: StatisticsError.self) {
      try RandomEffects([.init(effect: 1, standardError: 1)])
    }
    #expect(throws: StatisticsError.self) {
      try RandomEffects([
        .init(effect: .nan, standardError: 1), .init(effect: 1, standardError: 1),
      ])
    }
  }
}
