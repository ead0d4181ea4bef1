/// Interleaved launches of a base and a candidate: the unit of a paired comparison.
public struct LaunchPair: Hashable, Sendable, Codable {
  /// The metrics of one launch in base units by name.
  public typealias Values = [String: Double]

  /// The launches of the base in order.
  public let base: [Values]
  /// The launches of the candidate in order.
  public let candidate: [Values]

  /// Creates a pair.
  public init(base: [Values], candidate: [Values]) {
    self.base = base
    self.candidate = candidate
  }

  /// Whether a launch of either side failed: such a launch has `crash.rate` alone.
  public var hasFailedLaunch: Bool {
    (base + candidate).contains { $0.count == 1 && $0[MetricName.crashRate] != nil }
  }

  /// Returns the pairs of two runs that were measured together.
  ///
  /// Launches that are not warm-ups form pairs in order. A launch that did not complete keeps its
  /// place without metrics. Launches at the end that form no complete pair are left out.
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
  /// The values of the launch in a comparison, consistent with `Run.values(of:)`.
  var comparedValues: LaunchPair.Values {
    switch status {
    case .completed: metrics.merging([MetricName.crashRate: 0]) { $1 }
    case .crashed, .jetsam: [MetricName.crashRate: 1]
    case .timedOut, .failed: [MetricName.crashRate: 0]
    case .interrupted: [:]
    }
  }
}
