internal import PerfModel
internal import PerfStatistics

/// What it brings to take out the CPU's pace: the same recorded launches with it and without.
extension EvidenceBench {
  /// How often the launches are dealt out to the sides.
  private static let deals = 4

  func paced(_ table: FigureTable) throws {
    if launches > 0 {
      try PacedLaunches.record(launches, units: Self.units, machine: table.machine)
    }
    let recording = try PacedLaunches.read()
    for metric in ["wall", "cpu.total"] {
      for factor in [1, 1.03] {
        let with = try Self.tally(recording, metric, factor, hasPace: true)
        let without = try Self.tally(recording, metric, factor, hasPace: false)
        let isSlower = factor > 1
        let isMet =
          isSlower
          ? with.share(.regressed) >= 0.95 && with.share(.equivalent) <= 0.01
          : with.keeps(0.004, .regressed, .improved)
        table.add(
          isSlower
            ? "\(metric) times 1.03, margin 2 %, the CPU's pace taken out"
            : "\(metric) without a change, margin 2 %, the CPU's pace taken out",
          target: (isSlower
            ? "found >= 95 %, equivalent <= 1 %" : "false alarms <= 0.4 % a metric")
            + ", inconclusive <= 5 %",
          measured: Self.text(with, isSlower)
            + "; \(with.total) comparisons, overlapping, of \(recording.paces.count) launches",
          peer: "the pace left in: \(Self.text(without, isSlower)); \(recording.machine)",
          isMet: isMet && with.share(.inconclusive) <= 0.05)
      }
    }
  }

  /// Judges a comparison from each pair of the recording on.
  private static func tally(
    _ recording: PacedLaunches, _ metric: String, _ factor: Double, hasPace: Bool
  ) throws -> RuleTally {
    let size = 2 * BlockStatistic.shortLaunches
    let pairs = recording.paces.count / size
    guard pairs >= LookSchedule.lastLook else {
      throw BenchError(
        description: "\(recording.paces.count) launches are too few: pass --launches "
          + "\(size * LookSchedule.lastLook) or more")
    }
    let study = RuleStudy(margin: 0.02)
    return RuleStudy.tally(pairs * deals) { comparison in
      let order = PairOrder(seed: UInt64(comparison))
      var pair = 0
      return try? study.judge(seed: UInt64(comparison)) {
        defer { pair += 1 }
        return recording.pair(
          from: (comparison + pair) % pairs * size,
          sides: order.order(ofPair: pair, launches: BlockStatistic.shortLaunches),
          metric: metric, factor: factor, hasPace: hasPace)
      }
    }
  }

  private static func text(_ tally: RuleTally, _ isSlower: Bool) -> String {
    let told =
      isSlower
      ? "found \(RuleTally.percent(tally.share(.regressed))), equivalent "
        + RuleTally.percent(tally.share(.equivalent))
      : "false alarms " + RuleTally.percent(tally.share(.regressed, .improved))
    return "\(told), inconclusive \(RuleTally.percent(tally.share(.inconclusive))), "
      + "\(NumberFormat.significant(tally.medianPairs ?? 0)) pairs (median)"
  }
}
