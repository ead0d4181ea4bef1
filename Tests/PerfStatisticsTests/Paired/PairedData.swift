import PerfModel
import PerfStatistics

/// Pairs with only the values that a test needs.
enum PairedData {
  /// Returns a pair with one launch per side.
  static func pair(_ base: [String: Double], _ candidate: [String: Double]) -> LaunchPair {
    LaunchPair(base: [base], candidate: [candidate])
  }

  /// Returns a pair with several launches per side and the metric `wall`.
  static func wall(_ base: [Double], _ candidate: [Double]) -> LaunchPair {
    LaunchPair(base: base.map { ["wall": $0] }, candidate: candidate.map { ["wall": $0] })
  }

  /// Returns a judge of metrics that all gate.
  static func judge(
    _ definitions: [MetricDefinition] = [TestRuns.time],
    margin: Scenario.Margin = Scenario.Margin(relative: 0.02),
    gatingCount: Int? = nil, launches: Int = 1
  ) throws -> SequentialJudge {
    try SequentialJudge(
      definitions, policy: Scenario.GatePolicy(margin: margin), gating: definitions.map(\.name),
      gatingCount: gatingCount, launchesPerPair: launches)
  }

  /// Adds pairs until the gating metrics are decided, at most `limit`.
  static func feed(
    _ judge: inout SequentialJudge, limit: Int = 40, _ pair: (Int) -> LaunchPair
  ) {
    var index = 0
    while !judge.isDecided, index < limit {
      judge.add(pair(index))
      index += 1
    }
  }

  /// Returns symmetric noise that is evenly spread over -1...1.
  static func noise(_ seed: UInt64, _ count: Int) -> [Double] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in 2 * generator.nextUniform() - 1 }
  }
}
