internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Comparisons measured now by the command.
extension EvidenceBench {
  /// Units of work of a third to half a millisecond each, which make a launch of about 50 ms.
  static let units = 100

  func live(_ table: FigureTable) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let perfkit = try workshop.program("perfkit")
    if commits > 0 { try revisions(perfkit, workshop, table) }
    try scenario(workshop)
    var record = try LiveRecord(file: record)
    try compare("same", unchanged, perfkit, workshop, table, &record)
    try compare("slower", slowed, perfkit, workshop, table, &record)
    let (same, slower) = (record.of("same"), record.of("slower"))
    let all = same + slower
    let goes = Set(all.map { "\($0.machine) at \($0.commit) on \($0.date.prefix(10))" })
    let alarms = same.count(where: \.answer.isChanged)
    let long = same.count { $0.answer.pairs > LookSchedule.usualPairs }
    let bound = same.isEmpty ? 1 : try Proportion.upperBound(events: alarms, trials: same.count)
    table.add(
      "any of five gating metrics, launches of about 50 ms, no change",
      target: "false alarms <= 2 %, one-sided 95 % bound <= 4 %, >= 300 comparisons",
      measured: "\(alarms) of \(same.count) comparisons (at most \(RuleTally.percent(bound))), "
        + "of which \(long) went on beyond \(LookSchedule.usualPairs) pairs",
      peer: goes.sorted().joined(separator: "; "),
      isMet: 50 * alarms <= same.count && bound <= 0.04 && same.count >= 300)
    let found = slower.count { $0.answer.verdict == "regressed" }
    let decisions = slower.compactMap { entry in
      entry.answer.metrics.first { $0.name == MetricName.cpuTotal }?.decidedAt
    }
    let pairs = Self.median(decisions.map(Double.init))
    table.add(
      "the slowed metric of the same launches, 3 % slower, margin 2 %",
      target: "decided after a median of <= 15 pairs",
      measured: "\(Self.text(pairs)) pairs (median), decided in \(decisions.count) and found in "
        + "\(found) of \(slower.count) comparisons",
      isMet: decisions.count == slower.count && pairs.map { $0 <= 15 } ?? false)
    try addPeers(same, isSlower: false, table)
    try addPeers(slower, isSlower: true, table)
    table.add(
      "inconclusive comparisons of the same launches", target: "<= 5 % of each metric",
      measured: Self.inconclusive(all),
      isMet: !all.isEmpty && Self.shares(all).allSatisfy { $0.share <= 0.05 })
    let decided = all.compactMap { $0.answer.pairsUntilDecided }
    let (allPairs, seconds) = (
      Self.median(decided.map(Double.init)), Self.median(all.map(\.seconds))
    )
    table.add(
      "all five metrics of all these comparisons, the whole command",
      target: "median <= 25 pairs, <= 20 s",
      measured: "\(Self.text(allPairs)) pairs, \(Self.text(seconds)) s (medians; longest "
        + "\(Self.text(all.map(\.seconds).max())) s), decided in \(decided.count) of \(all.count)",
      isMet: allPairs.map { $0 <= 25 } ?? false && seconds.map { $0 <= 20 } ?? false)
  }

  /// Adds the verdicts on the wall time of the comparisons whose launches are recorded.
  private func addPeers(
    _ entries: [LiveRecord.Entry], isSlower: Bool, _ table: FigureTable
  ) throws {
    let recorded = entries.filter { $0.launches != nil }
    guard !recorded.isEmpty else { return }
    let changed = recorded.count { entry in
      entry.answer.metrics.contains { metric in
        metric.name == MetricName.wall
          && (metric.verdict == "regressed" || !isSlower && metric.verdict == "improved")
      }
    }
    table.add(
      "wall of those comparisons whose launches are recorded, \(isSlower ? "3 % slower" : "no change")",
      measured: "\(isSlower ? "found" : "false alarms") in \(changed) of \(recorded.count)",
      peer: try Self.peers(recorded.compactMap(\.launches), isSlower: isSlower))
  }

  // MARK: - Two commits

  /// Compares the last two commits of the repository in the current folder.
  private func revisions(
    _ perfkit: String, _ workshop: BenchWorkshop, _ table: FigureTable
  ) throws {
    let words = ["HEAD~1", "HEAD", "--scenario", "palette-extract", "--measure-same"]
    // The covers depend on the seed, which is constant.
    func diff(_ number: Int, _ more: [String] = []) throws -> LiveDiff {
      try LiveDiff.withStore(number) { store in
        try LiveDiff(perfkit, words + more, store: store, output: workshop.file("diff.json"))
      }
    }
    // Builds both commits and makes one pair.
    _ = try diff(0, ["--max-time", "1ns"])
    let diffs = try (0..<commits).map { try diff($0 + 1) }
    let slowest = diffs.map(\.seconds).max() ?? .infinity
    let undecided = Self.undecided(diffs)
    let pairs = diffs.compactMap { $0.answer.pairs }.map(Double.init)
    let launches = diffs.first?.answer.launchesPerPair ?? 0
    table.add(
      "perfkit diff HEAD~1 HEAD --scenario palette-extract, builds cached",
      target: "decided in <= 60 s",
      measured:
        "\(Self.text(Self.median(diffs.map(\.seconds)))) s (median), \(Self.text(slowest)) s "
        + "(longest), \(undecided) of \(diffs.count) undecided, \(Self.text(Self.median(pairs))) pairs "
        + "of \(launches) + \(launches) launches",
      isMet: undecided == 0 && slowest <= 60)
  }

  // MARK: - Two variants

  // cpu.user is omitted: the kernel splits CPU time by its tick of 4 ms, a twelfth of such a
  // launch.
  private func scenario(_ workshop: BenchWorkshop) throws {
    let text = """
      scenario: live
      summary: One thread that works for about 50 ms.
      workload: bench.burn
      worker: \(try workshop.program("BenchWorkloads"))
      variants:
        base: { iterations: \(Self.units) }
        same: { iterations: \(Self.units) }
        slower: { iterations: \((Self.units * 103 + 50) / 100) }
      default_variant: base
      iterations: 6
      warmup: 0
      timeout: 60s
      profile: { rate: 1000 }
      gate:
        margin: 2%
        metrics:
          wall: {}
          cpu.total: {}
          rss.peak: { margin: 3% }
          rss.mean: { margin: 3% }
          faults.minor: { margin: 5% }
      """
    try text.write(toFile: workshop.file("live.yml"), atomically: true, encoding: .utf8)
  }

  /// Makes further comparisons of the base with a variant.
  private func compare(
    _ variant: String, _ count: Int, _ perfkit: String, _ workshop: BenchWorkshop,
    _ table: FigureTable, _ record: inout LiveRecord
  ) throws {
    let store = workshop.file("live.sqlite")
    for seed in record.missing(variant, of: count) {
      let diff = try LiveDiff(
        perfkit,
        [
          "--scenario", "live", "--scenarios", workshop.file(""), "--variant", "base", "--variant",
          variant, "--seed", "\(seed)",
        ], store: store, output: workshop.file("live.json"))
      let launches = try LiveRecord.Launches(
        [MetricName.wall], perPair: diff.answer.launchesPerPair ?? 1, inStoreAt: store)
      try record.add(
        LiveRecord.Entry(
          variant: variant, seed: seed, date: table.now, commit: table.commit,
          machine: table.machine, seconds: diff.seconds,
          answer: LiveRecord.Answer(diff.answer), launches: launches))
    }
  }

  /// Returns the share of comparisons that left each gating metric undecided.
  private static func shares(_ entries: [LiveRecord.Entry]) -> [(metric: String, share: Double)] {
    let metrics = entries.first?.answer.metrics.map(\.name) ?? []
    return metrics.map { name in
      let decided = entries.count { entry in
        entry.answer.metrics.contains { $0.name == name && $0.decidedAt != nil }
      }
      return (name, 1 - Double(decided) / Double(entries.count))
    }
  }

  private static func inconclusive(_ entries: [LiveRecord.Entry]) -> String {
    shares(entries).map { "\($0.metric) \(RuleTally.percent($0.share))" }.joined(separator: ", ")
  }

  private static func undecided(_ diffs: [LiveDiff]) -> Int {
    diffs.count { LiveRecord.Answer($0.answer).pairsUntilDecided == nil }
  }

  static func median(_ values: [Double]) -> Double? { try? Quantiles.median(of: values) }

  static func text(_ value: Double?) -> String {
    value.map { NumberFormat.significant($0, digits: 3) } ?? "-"
  }
}
