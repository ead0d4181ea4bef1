internal import PerfModel

/// The launches without a metric that other launches of their side have.
///
/// These launches may have become worse.
struct MetricGap {
  /// The number of launches without the metric, in words.
  let words: String
  /// The number of launches without the metric because they failed.
  let failures: Int

  /// Counts the launches without the metric; nil if all have it.
  ///
  /// Warm-ups and launches that the user interrupted do not count; crashed launches do.
  init?(_ metric: String, in sides: [(name: String, run: Run)]) {
    var gaps: [String] = []
    var failures = 0
    for side in sides {
      let launches = side.run.profiled.filter { $0.status != .interrupted }
      let lacking = launches.count - side.run.values(of: metric).count
      guard lacking > 0 else { continue }
      gaps.append("missing in \(lacking) of \(launches.count) launches of the \(side.name)")
      failures += launches.count { $0.status != .completed }
    }
    guard !gaps.isEmpty else { return nil }
    words = gaps.joined(separator: ", ")
    self.failures = failures
  }
}
