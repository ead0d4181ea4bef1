internal import PerfModel

/// What lacks a metric that others of its side have: it may be what became worse.
struct MetricGap {
  /// How many launches lack it, in words.
  let words: String
  /// How many launches lack it because they failed.
  let failures: Int

  /// Looks at the launches of runs; nil when all have the metric.
  ///
  /// All count that were no warm-ups and that the user let end: one that crashed lacks it as well.
  ///
  /// - Parameters:
  ///   - metric: The name of the metric.
  ///   - sides: The runs with what they are in the comparison, as `candidate`.
  init?(_ metric: String, in sides: [(name: String, run: Run)]) {
    var gaps: [String] = []
    var failures = 0
    for side in sides {
      let launches = side.run.profiled.filter { $0.status != .interrupted }
      let lacking = launches.count - side.run.values(of: metric).count
      guard lacking > 0 else { continue }
      gaps.append(
        Self.sentence("\(lacking) of \(launches.count) launches", lacking, side: side.name))
      failures += launches.count { $0.status != .completed }
    }
    guard !gaps.isEmpty else { return nil }
    words = gaps.joined(separator: ", ")
    self.failures = failures
  }

  /// Says how many pairs lack a metric, of which a pair without one of its launches has none.
  ///
  /// Their total is left out: reports have these words without it, and `verify` compares them.
  ///
  /// - Parameters:
  ///   - lacking: How many lack it, at least one.
  ///   - side: The side of which a launch lacks it.
  /// - Returns: It in words.
  static func pairs(_ lacking: Int, side: String) -> String {
    sentence("\(lacking) \(lacking == 1 ? "pair" : "pairs")", lacking, side: side)
  }

  private static func sentence(_ counted: String, _ lacking: Int, side: String) -> String {
    "\(counted) \(lacking == 1 ? "lacks" : "lack") it in the \(side)"
  }
}
