internal import PerfModel
internal import PerfStatistics

/// Comparisons of commits that change the layout of the program.
extension EvidenceBench {
  /// The number of links of each side.
  private static let links = 16

  func layout(_ table: FigureTable) throws {
    simulatedLayouts(table)
    guard deadCommits > 0 else { return }
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    guard let repository = try LayoutRepository(in: workshop) else {
      throw BenchError(description: "the layout part needs git, clang and ld.lld in PATH")
    }
    let perfkit = try workshop.program("perfkit")
    func diff(_ more: [String]) throws -> LiveDiff {
      try LiveDiff(
        perfkit,
        ["HEAD~1", "HEAD", "--scenario", "work", "--no-profile", "--max-pairs", "160"] + more,
        store: workshop.file("layout/.perfkit/perfkit.sqlite"), output: workshop.file("diff.json"),
        in: repository.folder)
    }
    let layouts = ["--randomize-layout", "\(Self.links)"]
    var (one, several, slower): ([LiveDiff], [LiveDiff], [LiveDiff]) = ([], [], [])
    try repository.commitDeadCode(seed: seed)
    for index in 0..<UInt64(deadCommits) {
      try repository.commitDeadCode(seed: seed &+ 1 &+ index)
      one.append(try diff([]))
      several.append(try diff(layouts))
    }
    for index in 0..<max(1, deadCommits / 2) {
      let first = seed &+ 1000 &+ UInt64(2 * index)
      try repository.commitSlower(nil, seed: first)
      try repository.commitSlower(index % CountedProgram.functions, seed: first + 1)
      slower.append(try diff(layouts))
    }
    func isAlarm(_ diff: LiveDiff) -> Bool { LiveRecord.Answer(diff.answer).isAlarm }
    func open(_ diffs: [LiveDiff]) -> Int { diffs.count { $0.answer.verdict == "inconclusive" } }
    let effects = (several + slower).compactMap { $0.answer.gating.first?.layout }
    let deviation = Self.median(effects.map(\.deviation)) ?? 0
    let share = Self.median(effects.map(\.share)) ?? 0
    let alarms = several.count(where: isAlarm)
    table.add(
      "commits of dead code, \(Self.links) links of each side, margin 1 %, at most 160 pairs",
      target: "0 alarms in >= 50 commits",
      measured:
        "\(alarms) alarms and \(open(several)) inconclusive in \(several.count); layout moves "
        + "cpu.total by \(RuleTally.percent(deviation)) (\(RuleTally.percent(share)) of the variation, "
        + "medians); \(Self.text(Self.median(several.map(\.seconds)))) s (median, with the links)",
      peer:
        "one link of each side: \(one.count(where: isAlarm)) alarms and \(open(one)) inconclusive",
      isMet: alarms == 0 && several.count >= 50)
    let found = slower.count { $0.answer.verdict == "regressed" }
    let rise = Self.median(slower.compactMap { $0.answer.gating.first?.estimate }) ?? 0
    table.add(
      "commits of dead code with one function of eight slower, 2 % in all",
      target: "found in >= 90 % of >= 25",
      measured: "found in \(found) of \(slower.count), inconclusive \(open(slower)); median change "
        + NumberFormat.percentChange(rise),
      isMet: 10 * found >= 9 * slower.count && slower.count >= 25)
  }

  /// Simulated comparisons whose pairs share the effects of layouts.
  private func simulatedLayouts(_ table: FigureTable) {
    for (number, spread) in [0.005, 0.02].enumerated() {
      for (change, margin) in [(1.0, 0.0), (1.0, 0.01), (1.02, 0.01)] {
        let study = RuleStudy(margin: margin, mostPairs: 160, layouts: Self.links)
        let seed = self.seed &+ UInt64(400_000 + number) << 32
        let tally = RuleStudy.tally(max(1, comparisons / 500)) { comparison in
          var source = NoiseSource(.core, seed: seed &+ UInt64(comparison))
          let effects = (0..<Self.links).map { _ in source.layout(spread) }
          var pair = 0
          return try? study.judge {
            defer { pair += 1 }
            return source.pair(change * effects[pair % Self.links])
          }
        }
        let percent = [spread, change - 1, margin].map(RuleTally.percent)
        let isSame = change == 1
        table.add(
          "\(Self.links) layouts that move a side by \(percent[0]) (deviation), change \(percent[1]), "
            + "margin \(percent[2]), up to 160 pairs, simulated",
          target: isSame ? "false alarms <= 0.4 % per metric" : "equivalent <= 1 %",
          measured: isSame
            ? tally.alarmText
            : "found \(RuleTally.percent(tally.share(.regressed))), equivalent "
              + RuleTally.percent(tally.share(.equivalent)),
          isMet: isSame
            ? tally.keeps(0.004, .regressed, .improved) : tally.keeps(0.01, .equivalent))
      }
    }
  }
}
