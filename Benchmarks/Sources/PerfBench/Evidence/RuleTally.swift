internal import PerfModel
internal import PerfStatistics

/// The verdicts of many comparisons by one rule.
struct RuleTally {
  private(set) var counts: [ComparisonVerdict: Int] = [:]
  /// The number of pairs of each decided comparison.
  private(set) var pairs: [Int] = []

  mutating func add(_ verdict: ComparisonVerdict, pairs: Int? = nil) {
    counts[verdict, default: 0] += 1
    if let pairs { self.pairs.append(pairs) }
  }

  var total: Int { counts.values.reduce(0, +) }

  private func count(_ verdicts: [ComparisonVerdict]) -> Int {
    verdicts.reduce(0) { $0 + (counts[$1] ?? 0) }
  }

  func share(_ verdicts: ComparisonVerdict...) -> Double {
    Double(count(verdicts)) / Double(max(total, 1))
  }

  /// Returns whether the rate of these verdicts can be at most `limit`.
  func keeps(_ limit: Double, _ verdicts: ComparisonVerdict...) -> Bool {
    Self.keeps(limit, count(verdicts), of: total)
  }

  /// Returns whether a rate can be at most `limit`: whether its 95 % interval reaches down to it.
  ///
  /// A rule that spends exactly its allowed error exceeds the limit in half of all simulations.
  static func keeps(_ limit: Double, _ events: Int, of trials: Int) -> Bool {
    let rate = try? Proportion.estimate(events: events, trials: trials)
    return rate.map { ($0.low ?? 0) <= limit } ?? false
  }

  /// The share of reported changes without a real one, with its one-sided 95 % bound.
  var alarmText: String {
    let alarms = count([.regressed, .improved])
    let bound = (try? Proportion.upperBound(events: alarms, trials: total)) ?? 1
    return
      "\(Self.percent(Double(alarms) / Double(max(total, 1)))) (at most \(Self.percent(bound)))"
  }

  /// The median number of pairs until the decision.
  var medianPairs: Double? { try? Quantiles.median(of: pairs.map(Double.init)) }

  static func percent(_ share: Double) -> String { NumberFormat.human(share, .ratio) }
}
