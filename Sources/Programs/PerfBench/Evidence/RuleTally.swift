internal import PerfModel
internal import PerfStatistics

/// What became of many comparisons under one rule.
struct RuleTally {
  private(set) var counts: [ComparisonVerdict: Int] = [:]
  /// Pairs until decided, of each comparison that was.
  private(set) var pairs: [Int] = []

  mutating func add(_ verdict: ComparisonVerdict, pairs: Int? = nil) {
    counts[verdict, default: 0] += 1
    if let pairs { self.pairs.append(pairs) }
  }

  var total: Int { counts.values.reduce(0, +) }

  func count(_ verdicts: ComparisonVerdict...) -> Int {
    verdicts.reduce(0) { $0 + (counts[$1] ?? 0) }
  }

  func share(_ verdicts: ComparisonVerdict...) -> Double {
    Double(verdicts.reduce(0) { $0 + (counts[$1] ?? 0) }) / Double(max(total, 1))
  }

  /// Calls a change of either direction: a false alarm where there is none.
  var alarms: Int { count(.regressed, .improved) }

  /// The share of false alarms with its one-sided 95 % bound.
  var alarmText: String {
    let bound = (try? Proportion.upperBound(events: alarms, trials: total)) ?? 1
    return
      "\(Self.percent(Double(alarms) / Double(max(total, 1)))) (at most \(Self.percent(bound)))"
  }

  /// The median number of pairs until decided.
  var medianPairs: Double? { try? Quantiles.median(of: pairs.map(Double.init)) }

  static func percent(_ share: Double) -> String { NumberFormat.human(share, .ratio) }
}
