internal import PerfModel

/// The launches of one stretch of time, which the rules of other harnesses get in two ways.
struct PeerSamples: Sendable {
  /// One side after the other: the base of the first half and the candidate of the second.
  let sequential: LaunchPairValues
  /// All launches.
  let interleaved: LaunchPairValues

  /// Creates samples from all launches of both sides in order, equally many.
  init(_ launches: LaunchPairValues) {
    let half = launches.base.count / 2
    sequential = (Array(launches.base.prefix(half)), Array(launches.candidate.suffix(half)))
    interleaved = launches
  }

  /// Returns the results of other harnesses' rules, each as its name with both shares of
  /// comparisons that report a change: any change if there is none, otherwise the right one.
  ///
  /// - Throws: `BenchError` when an installed pyperf fails.
  static func results(
    of rules: [PeerRule] = PeerRule.allCases, _ samples: [PeerSamples], isSlower: Bool
  ) throws -> [String] {
    let ways = [samples.map(\.sequential), samples.map(\.interleaved)]
    func text(_ name: String, _ verdicts: ([LaunchPairValues]) throws -> [ComparisonVerdict])
      rethrows -> String
    {
      let shares = try ways.map { way in
        let found = try verdicts(way)
        let changes = found.count { $0 == .regressed || !isSlower && $0 == .improved }
        return RuleTally.percent(Double(changes) / Double(max(found.count, 1)))
      }
      return "\(name) \(shares[0]), interleaved \(shares[1])"
    }
    var results = rules.map { rule in
      text(rule.rawValue) { way in
        way.enumerated().compactMap {
          try? rule.verdict($1.base, $1.candidate, seed: UInt64($0))
        }
      }
    }
    if let version = PyperfRule.version, !samples.isEmpty {
      results.append(try text("pyperf \(version)", PyperfRule.verdicts))
    }
    return results
  }
}
