internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// The decision rule without `CoreSignedRank`: the signed rank test of all pairs, at the same
/// looks.
struct AllPairsRule {
  private let margin: Double
  private let looks: [LookSchedule.Look]

  /// Creates the rule for a gating metric.
  ///
  /// - Parameter margin: The smallest change worth acting on, e.g. 0.02.
  /// - Throws: `StatisticsError`.
  init(margin: Double) throws {
    self.margin = margin
    looks = try LookSchedule(metrics: RuleStudy.gating).looks
      .filter { $0.pairs <= LookSchedule.usualPairs }
  }

  /// Judges one comparison.
  ///
  /// - Parameter next: Returns the next pair.
  /// - Returns: The verdict and the number of pairs used.
  /// - Throws: `StatisticsError`.
  func judge(
    _ next: () -> LaunchPairValues
  ) throws -> (verdict: ComparisonVerdict, pairs: Int) {
    var differences: [Double] = []
    for look in looks {
      while differences.count < look.pairs {
        let pair = next()
        guard let base = pair.base.min(), let candidate = pair.candidate.min() else { continue }
        differences.append(log(candidate / base))
      }
      let verdict = try verdict(of: differences, at: look)
      if verdict != .inconclusive { return (verdict, look.pairs) }
    }
    return (.inconclusive, differences.count)
  }

  private func verdict(
    of differences: [Double], at look: LookSchedule.Look
  ) throws -> ComparisonVerdict {
    let change = try HodgesLehmann.center(of: differences, confidence: 1 - look.changeError)
    if let decisive = change.interval, !decisive.contains(0) {
      if expm1(change.value) >= margin { return .regressed }
      if expm1(change.value) <= -margin { return .improved }
    }
    let plain = try HodgesLehmann.center(of: differences, confidence: 1 - look.equivalenceError)
    let around = log1p(-margin)...log1p(margin)
    return plain.interval.map(around.contains) == true ? .equivalent : .inconclusive
  }
}

extension ClosedRange<Double> {
  fileprivate func contains(_ other: ClosedRange<Double>) -> Bool {
    contains(other.lowerBound) && contains(other.upperBound)
  }
}
