/// Launches of a base and of a candidate that were made together, in random order: the unit that a
/// paired comparison counts.
public struct LaunchPair: Hashable, Sendable, Codable {
  /// What one launch gave: values in base units by metric name; a metric that it lacks is absent.
  public typealias Values = [String: Double]

  /// The launches of the base, in the order in which they were made.
  public let base: [Values]
  /// The launches of the candidate.
  public let candidate: [Values]

  /// Creates a pair.
  public init(base: [Values], candidate: [Values]) {
    self.base = base
    self.candidate = candidate
  }

  /// Whether a launch of either side failed: all that such a launch says is whether it crashed.
  public var hasFailedLaunch: Bool {
    (base + candidate).contains { $0.count == 1 && $0[MetricName.crashRate] != nil }
  }

  /// Returns the pairs of two runs that were measured together.
  ///
  /// The launches that are no warm-ups belong together by their order: the first few of both runs are
  /// the first pair. A launch that did not complete keeps its place and lacks its metrics. Launches
  /// at the end that make no whole pair are left out.
  ///
  /// - Parameters:
  ///   - base: What it was before.
  ///   - candidate: What it is now.
  ///   - launches: How many launches of each side make a pair, at least one.
  /// - Returns: As many pairs as both runs have.
  public static func pairs(
    of base: Run, _ candidate: Run, launches: Int
  ) -> [LaunchPair] {
    precondition(launches > 0, "a pair has at least one launch of each side")
    let (old, new) = (base.profiled.map(\.comparedValues), candidate.profiled.map(\.comparedValues))
    return (0..<(min(old.count, new.count) / launches)).map { index in
      let range = (index * launches)..<((index + 1) * launches)
      return LaunchPair(base: Array(old[range]), candidate: Array(new[range]))
    }
  }
}

extension Launch {
  /// What the launch says in a comparison, as `Run.values(of:)` says of all launches.
  var comparedValues: LaunchPair.Values {
    switch status {
    case .completed: metrics.merging([MetricName.crashRate: 0]) { $1 }
    case .crashed, .jetsam: [MetricName.crashRate: 1]
    case .timedOut, .failed: [MetricName.crashRate: 0]
    case .interrupted: [:]
    }
  }
}
