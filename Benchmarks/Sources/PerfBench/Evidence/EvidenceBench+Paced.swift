internal import PerfModel
internal import PerfStatistics

/// The effect of correcting for the CPU's pace: the same recorded launches with and without it.
extension EvidenceBench {
  /// The number of random assignments of the launches to the sides.
  private static let deals = 4

  func paced(_ table: FigureTable) throws {
    for program in PacedLaunches.Program.allCases {
      if launches > 0 {
        try PacedLaunches.record(program, launches, units: Self.units, machine: table.machine)
      }
      let recording = try PacedLaunches.read(program)
      for metric in program.metrics {
        for factor in [1, 1.03] { try paced(program, recording, metric, factor, table) }
      }
    }
  }

  private func paced(
    _ program: PacedLaunches.Program, _ recording: PacedLaunches, _ metric: String,
    _ factor: Double, _ table: FigureTable
  ) throws {
    func tally(_ readings: [String]) throws -> RuleTally {
      try Self.tally(recording, metric, factor, readings)
    }
    let isSlower = factor > 1
    let all = try tally(MetricName.paces)
    let isMet =
      isSlower
      ? all.share(.regressed) >= 0.95 && all.share(.equivalent) <= 0.01
      : all.keeps(0.004, .regressed, .improved)
    let subject = "\(metric) of \(program.rawValue)"
    table.add(
      isSlower
        ? "\(subject) times 1.03, margin 2 %, corrected for the CPU's pace"
        : "\(subject) without a change, margin 2 %, corrected for the CPU's pace",
      target: (isSlower ? "found >= 95 %, equivalent <= 1 %" : "false alarms <= 0.4 % per metric")
        + ", inconclusive <= 5 %",
      measured: Self.text(all, isSlower)
        + "; \(all.total) comparisons, overlapping, of \(recording.count) launches",
      peer: "pace of dependent steps alone: "
        + "\(Self.text(try tally([MetricName.paceCPU]), isSlower)); uncorrected: "
        + "\(Self.text(try tally([]), isSlower)); \(recording.machine)",
      isMet: isMet && all.share(.inconclusive) <= 0.05)
  }

  /// Judges one comparison per start pair of the recording.
  private static func tally(
    _ recording: PacedLaunches, _ metric: String, _ factor: Double, _ readings: [String]
  ) throws -> RuleTally {
    let size = 2 * BlockStatistic.shortLaunches
    let pairs = recording.count / size
    guard pairs >= LookSchedule.usualPairs else {
      throw BenchError(
        description: "the recording has too few launches (\(recording.count)). Pass --launches "
          + "\(size * LookSchedule.usualPairs) or more")
    }
    let study = RuleStudy(margin: 0.02, metrics: [RuleStudy.time(metric)])
    return RuleStudy.tally(pairs * deals) { comparison in
      let order = PairOrder(seed: UInt64(comparison))
      var pair = 0
      return try? study.judge {
        defer { pair += 1 }
        return recording.pair(
          from: (comparison + pair) % pairs * size,
          sides: order.order(ofPair: pair, launches: BlockStatistic.shortLaunches),
          metric: metric, factor: factor, readings: readings)
      }
    }
  }

  private static func text(_ tally: RuleTally, _ isSlower: Bool) -> String {
    let decided =
      isSlower
      ? "found \(RuleTally.percent(tally.share(.regressed))), equivalent "
        + RuleTally.percent(tally.share(.equivalent))
      : "false alarms " + RuleTally.percent(tally.share(.regressed, .improved))
    return "\(decided), inconclusive \(RuleTally.percent(tally.share(.inconclusive))), "
      + "\(NumberFormat.significant(tally.medianPairs ?? 0)) pairs (median)"
  }
}
