internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// The rule by which another harness decides whether two samples of launches differ.
///
/// These are models of the rules in the harnesses' source code; pyperf itself is run by
/// `PyperfRule`.
enum PeerRule: String, CaseIterable {
  /// `golang.org/x/perf/benchmath`: the Mann-Whitney test at 0.05.
  case benchstat
  /// `criterion.rs`: a bootstrapped t-test at 0.05, and an interval of the relative change of the
  /// means beyond a noise threshold of 1 %.
  case criterion
  /// `ordo-one/benchmark`: by default a change of 5 % in any of p25, p50 and p75.
  case packageBenchmark = "package-benchmark"
  /// A difference of 5 % between the means.
  case tolerance = "5 % tolerance"
  /// `airspeed velocity`: the Mann-Whitney test at 0.002, and a factor of 1.1.
  case asv
  /// `hyperfine`, `scripts/welch_ttest.py`: Welch's t-test at 0.05. The program itself compares means
  /// without a test.
  case hyperfine

  /// The number of bootstrap resamples; criterion takes 100,000.
  private static let resamples = 1000

  /// Returns `regressed`, `improved`, or `equivalent` when the tool reports no change.
  func verdict(
    _ base: [Double], _ candidate: [Double], seed: UInt64
  ) throws -> ComparisonVerdict {
    switch self {
    case .benchstat: try Self.rankSum(base, candidate, level: 0.05, factor: 1)
    case .asv: try Self.rankSum(base, candidate, level: 0.002, factor: 1.1)
    case .hyperfine: Self.welch(base, candidate)
    case .criterion: Self.bootstrap(base, candidate, SeededGenerator(seed: seed))
    case .packageBenchmark: try Self.percentiles(base, candidate)
    case .tolerance: Self.verdict(ofRatio: Self.mean(candidate) / Self.mean(base), by: 1.05)
    }
  }

  private static func verdict(ofRatio ratio: Double, by factor: Double) -> ComparisonVerdict {
    ratio > factor ? .regressed : ratio < 1 / factor ? .improved : .equivalent
  }

  private static func rankSum(
    _ base: [Double], _ candidate: [Double], level: Double, factor: Double
  ) throws -> ComparisonVerdict {
    guard try RankSum.test(base, candidate).p < level else { return .equivalent }
    return verdict(
      ofRatio:
        try Quantiles.median(of: candidate) / Quantiles.median(of: base), by: factor)
  }

  private static func percentiles(
    _ base: [Double], _ candidate: [Double]
  ) throws -> ComparisonVerdict {
    let ratios = try [0.25, 0.5, 0.75].map { probability in
      try Quantiles.quantile(probability, of: candidate)
        / Quantiles.quantile(probability, of: base)
    }
    if ratios.contains(where: { $0 > 1.05 }) { return .regressed }
    return ratios.contains { $0 < 0.95 } ? .improved : .equivalent
  }

  // MARK: - Welch's t-test

  private static func welch(_ base: [Double], _ candidate: [Double]) -> ComparisonVerdict {
    let (one, other) = (squaredError(base), squaredError(candidate))
    // Welch 1947, doi:10.1093/biomet/34.1-2.28.
    let degrees =
      (one + other) * (one + other)
      / (one * one / Double(base.count - 1) + other * other / Double(candidate.count - 1))
    guard abs(t(candidate, base)) > studentLimit(degrees) else { return .equivalent }
    return verdict(ofRatio: mean(candidate) / mean(base), by: 1)
  }

  /// Returns the two-sided 5 % limit of Student's distribution, within 0.0001 from nine degrees of
  /// freedom on.
  ///
  /// - Note: Abramowitz and Stegun 1964, 26.7.5.
  private static func studentLimit(_ degrees: Double) -> Double {
    let x = 1.959964
    let (x3, x5, x7) = (pow(x, 3), pow(x, 5), pow(x, 7))
    return x + (x3 + x) / (4 * degrees)
      + (5 * x5 + 16 * x3 + 3 * x) / (96 * degrees * degrees)
      + (3 * x7 + 19 * x5 + 17 * x3 - 15 * x) / (384 * pow(degrees, 3))
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  /// Returns the squared standard error of the mean.
  private static func squaredError(_ values: [Double]) -> Double {
    let mean = mean(values)
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
      / Double(values.count)
  }

  private static func t(_ first: [Double], _ second: [Double]) -> Double {
    (mean(first) - mean(second)) / (squaredError(first) + squaredError(second)).squareRoot()
  }

  // MARK: - criterion

  /// Implements `criterion/src/analysis/compare.rs`: bootstraps the null distribution of t from
  /// both samples mixed, and the relative change of the means from each sample.
  private static func bootstrap(
    _ base: [Double], _ candidate: [Double], _ generator: SeededGenerator
  ) -> ComparisonVerdict {
    var generator = generator
    func resample(_ values: [Double], _ count: Int) -> [Double] {
      (0..<count).map { _ in values[Int(generator.nextUniform() * Double(values.count))] }
    }
    let observed = t(candidate, base)
    let mixed = base + candidate
    var below = 0
    for _ in 0..<resamples
    where t(resample(mixed, candidate.count), resample(mixed, base.count)) < observed {
      below += 1
    }
    let p = 2 * Double(min(below, resamples - below)) / Double(resamples)
    guard p < 0.05 else { return .equivalent }
    var changes: [Double] = []
    for _ in 0..<resamples {
      changes.append(
        mean(resample(candidate, candidate.count)) / mean(resample(base, base.count)) - 1)
    }
    changes.sort()
    let low = changes[Int(0.025 * Double(resamples))]
    let high = changes[Int(0.975 * Double(resamples))]
    return low > 0.01 ? .regressed : high < -0.01 ? .improved : .equivalent
  }
}
