internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Comparisons of a C tool of 30 ms beside a busy loop, by the command.
extension EvidenceBench {
  /// A change of the tool.
  private struct Change {
    let variant: String
    /// The additional work or time.
    let more: Double
    let target: String
    /// The least share of comparisons that find the change.
    var least = 0.0

    var isSlower: Bool { more > 0 }
    var name: String { isSlower ? "\(RuleTally.percent(more)) slower" : "no change" }
  }

  private static let subject =
    "a C tool of 30 ms beside a busy loop, four gating metrics, margin 2 %"
  private static let peerRules = [PeerRule.hyperfine]

  // MARK: - Counted

  func tool(_ table: FigureTable) throws {
    var record = try LiveRecord(file: record)
    try withTool { repository in
      for change in [
        Change(
          variant: "tool-counted-same", more: 0,
          target: "0 of >= 100 alarms, equivalent >= 95 %, median <= 20 s"),
        Change(
          variant: "tool-counted-1", more: 0.01, target: "found >= 98 % of >= 100, median <= 20 s",
          least: 0.98),
      ] {
        try compare(
          change, toolComparisons, more: change.more, ["--count"], repository, table, &record)
        try counted(change, record.of(change.variant), table)
      }
    }
  }

  private func counted(
    _ change: Change, _ entries: [LiveRecord.Entry], _ table: FigureTable
  ) throws {
    let count = entries.count
    let seconds = Self.median(entries.map(\.seconds))
    func number(_ combined: String) -> Int { entries.count { $0.answer.combined == combined } }
    func time(_ verdict: String) -> Int { entries.count { $0.answer.verdict == verdict } }
    let alarms = entries.count(where: \.answer.isChanged)
    let (found, equal) = (number("regressed"), number("equivalent"))
    let named = entries.count { $0.answer.culprit == $0.function }
    let rate = Double(change.isSlower ? found : equal) / Double(max(count, 1))
    let result =
      change.isSlower
      ? "found in \(found), the function named in \(named) of \(count)"
      : "\(alarms) alarms, equivalent in \(equal) of \(count)"
    table.add(
      "\(Self.subject), --count: \(change.isSlower ? "1 % more work in one function" : change.name)",
      target: change.target,
      measured: "\(result); \(Self.text(seconds)) s (median), "
        + "\(Self.text(entries.map(\.seconds).max())) s (longest); time alone: regressed in "
        + "\(time("regressed")), undecided in \(time("inconclusive"))",
      peer: try Self.peers(entries.compactMap(\.launches), isSlower: change.isSlower),
      isMet: count >= 100 && seconds.map { $0 <= 20 } ?? false
        && (change.isSlower ? rate >= change.least : alarms == 0 && rate >= 0.95))
  }

  // MARK: - Timed

  func timed(_ table: FigureTable) throws {
    var record = try LiveRecord(file: record)
    let changes = [
      Change(variant: "tool-same", more: 0, target: "0 of 40 alarms"),
      Change(variant: "tool-3", more: 0.03, target: "found >= 80 %", least: 0.8),
      Change(variant: "tool-5", more: 0.05, target: "found >= 95 %", least: 0.95),
    ]
    if live > 0 {
      try withTool { repository in
        let share = try repository.shareOfLoops()
        // Pairs go on after the verdict, so that other orders can be drawn from all of them.
        let words = ["--max-time", budget, "--min-pairs", "\(LookSchedule.mostPairs)"]
        for change in changes {
          try compare(change, live, more: change.more / share, words, repository, table, &record)
        }
      }
    }
    for change in changes {
      let entries = record.of(change.variant)
      try addLive(change, entries, table)
      try addReplayed(change, entries.compactMap(\.launches), table)
    }
  }

  /// Adds the verdicts of the command.
  private func addLive(
    _ change: Change, _ entries: [LiveRecord.Entry], _ table: FigureTable
  ) throws {
    let alarms = entries.count(where: \.answer.isChanged)
    let found = entries.count { $0.answer.verdict == "regressed" }
    let decided = entries.compactMap(\.answer.pairsUntilDecided).map(Double.init)
    let changes = try entries.compactMap(\.launches).map {
      try Self.change($0.values(of: MetricName.wall))
    }
    table.add(
      "\(Self.subject), --max-time \(budget), live: \(change.name)",
      measured: (change.isSlower ? "found in \(found)" : "\(alarms) alarms")
        + ", decided in \(decided.count) of \(entries.count) after "
        + "\(Self.text(Self.median(decided))) pairs (median), of "
        + "\(Self.text(Self.median(entries.map { Double($0.answer.pairs) }))) in this time; change "
        + "of the median wall time \(NumberFormat.percentChange(Self.median(changes) ?? 0)) (median)",
      peer: try Self.peers(entries.compactMap(\.launches), isSlower: change.isSlower))
  }

  /// Adds the verdicts on resampled launches.
  private func addReplayed(
    _ change: Change, _ recordings: [LiveRecord.Launches], _ table: FigureTable
  ) throws {
    guard !recordings.isEmpty else { return }
    let seed = seed
    let results = Parallel.map(replays) { number in
      Self.replay(recordings[number % recordings.count], seed: seed &+ UInt64(number) << 32)
    }.compactMap(\.self)
    var tally = RuleTally()
    for result in results { tally.add(result.verdict, pairs: result.pairs) }
    let found = tally.share(.regressed)
    table.add(
      "\(Self.subject), --max-time \(budget), replayed from stretches of \(Self.stretch) pairs: "
        + change.name,
      target: change.target,
      measured: (change.isSlower
        ? "found \(RuleTally.percent(found))"
        : "false alarms \(RuleTally.percent(tally.share(.regressed, .improved)))")
        + ", equivalent \(RuleTally.percent(tally.share(.equivalent))), inconclusive "
        + "\(RuleTally.percent(tally.share(.inconclusive))), \(Self.text(tally.medianPairs)) pairs "
        + "(median); \(results.count) comparisons of \(recordings.count) recordings with "
        + "\(recordings.map { "\($0.pairs)" }.joined(separator: ", ")) pairs",
      peer: try Self.peers(results.map(\.walls), isSlower: change.isSlower),
      isMet: results.count >= 40
        && (change.isSlower ? found >= change.least : tally.share(.regressed, .improved) == 0))
  }

  /// The consecutive pairs that are drawn together, as the state of the machine lasts about as long.
  private static let stretch = 50

  /// Judges as many pairs as a recording has, drawn in stretches from random places.
  ///
  /// - Note: Circular block bootstrap, Politis and Romano 1992.
  private static func replay(
    _ recording: LiveRecord.Launches, seed: UInt64
  ) -> (verdict: ComparisonVerdict, pairs: Int, walls: LaunchPairValues)? {
    var generator = SeededGenerator(seed: seed)
    let count = recording.pairs
    var order: [Int] = []
    while order.count < count {
      let start = Int(generator.nextUniform() * Double(count))
      order += (0..<min(stretch, count - order.count)).map { (start + $0) % count }
    }
    var walls: LaunchPairValues = ([], [])
    var drawn = 0
    let study = RuleStudy(
      margin: 0.02, metrics: ToolRepository.gating.compactMap { MetricCatalog.standard[$0] },
      gating: ToolRepository.gating.count, mostPairs: count)
    guard
      let (verdict, pairs) = try? study.judge({
        defer { drawn += 1 }
        let pair = recording.pair(order[drawn])
        walls.base += pair.base.compactMap { $0[MetricName.wall] }
        walls.candidate += pair.candidate.compactMap { $0[MetricName.wall] }
        return pair
      })
    else { return nil }
    return (verdict, pairs, walls)
  }

  // MARK: - Both

  /// Calls a function with the tool's repository while a loop keeps one core busy.
  private func withTool(_ body: (ToolRepository) throws -> Void) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let repository = try ToolRepository(in: workshop)
    let busy = BusyLoop()
    defer { busy.stop() }
    try body(repository)
  }

  /// Makes further comparisons of the tool with a change of its work.
  private func compare(
    _ change: Change, _ count: Int, more: Double, _ words: [String],
    _ repository: ToolRepository, _ table: FigureTable, _ record: inout LiveRecord
  ) throws {
    for seed in record.missing(change.variant, of: count) {
      let made = try repository.diff(seed: seed, more: more, words)
      try record.add(
        LiveRecord.Entry(
          variant: change.variant, seed: seed, date: table.now, commit: table.commit,
          machine: table.machine, seconds: made.diff.seconds,
          answer: LiveRecord.Answer(made.diff.answer), function: made.function,
          launches: made.launches))
    }
  }

  /// Returns the results of hyperfine's and pyperf's rules on wall times of the same launches.
  static func peers(_ launches: [LiveRecord.Launches], isSlower: Bool) throws -> String {
    try peers(launches.map { $0.values(of: MetricName.wall) }, isSlower: isSlower)
  }

  static func peers(_ walls: [LaunchPairValues], isSlower: Bool) throws -> String {
    let results = try PeerSamples.results(
      of: peerRules, walls.map(PeerSamples.init), isSlower: isSlower)
    return (isSlower ? "found by " : "false alarms of ") + results.joined(separator: "; ")
  }

  /// Returns the relative change of the median.
  private static func change(_ values: LaunchPairValues) throws -> Double {
    try Quantiles.median(of: values.candidate) / Quantiles.median(of: values.base) - 1
  }
}
