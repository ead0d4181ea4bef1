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

  private func count(_ verdicts: [ComparisonVerdict]) -> Int {
    verdicts.reduce(0) { $0 + (counts[$1] ?? 0) }
  }

  func share(_ verdicts: ComparisonVerdict...) -> Double {
    Double(count(verdicts)) / Double(max(total, 1))
  }

  /// Whether the rate of these verdicts can be at most `limit`.
  func keeps(_ limit: Double, _ verdicts: ComparisonVerdict...) -> Bool {
    Self.keeps(limit, count(verdicts), of: total)
  }

  /// Whether a rate can be at most `limit`: its 95 % interval reaches down to it.
  ///
  /// A rule that spends exactly the error it may spend lies above it in half of all simulations.
  static func keeps(_ limit: Double, _ events: Int, of trials: Int) -> Bool {
    let rate = try? Proportion.estimate(events: events, trials: trials)
    return rate.map { ($0.low ?? 0) <= limit } ?? false
  }

  /// The share of false alarms, calls of a change where there is none, with its one-sided 95 % bound.
  var alarmText: String {
    let alarms = count([.regressed, .improved])
    let bound = (try? Proportion.upperBound(events: alarms, trials: total)) ?? 1
    return
      "\(Self.percent(Double(alarms) / Double(max(total, 1)))) (at most \(Self.percent(bound)))"
  }

  /// The median number of pairs until decided.
  var medianPairs: Double? { try? Quantiles.median(of: pairs.map(Double.init)) }

  static func percent(_ share: Double) -> String { NumberFormat.human(share, .ratio) }
}
