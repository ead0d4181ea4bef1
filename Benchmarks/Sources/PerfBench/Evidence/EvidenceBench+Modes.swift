internal import PerfModel
internal import PerfStatistics

/// The verdicts on slow modes, and on comparisons that go on for hundreds of pairs, simulated.
extension EvidenceBench {
  /// The shares of launches in a slow mode that takes 1.8 times as long.
  private struct Mode {
    let base: Double
    let candidate: Double
    let margin: Double
    let expects: Expectation
  }

  /// A slow mode of both sides is the machine's; one of the candidate alone is its own.
  func simulatedModes(_ table: FigureTable) {
    let modes = [
      Mode(base: 0.1, candidate: 0.1, margin: 0.02, expects: .alarms(0.004)),
      Mode(base: 0.1, candidate: 0.1, margin: 0, expects: .alarms(0.004)),
      Mode(base: 0.5, candidate: 0.5, margin: 0.02, expects: .alarms(0.004)),
      Mode(base: 0.5, candidate: 0.5, margin: 0, expects: .alarms(0.004)),
      // The mean rises by a third of the slow mode's 80 %.
      Mode(base: 0.1, candidate: 0.5, margin: 0.02, expects: .found(equivalent: 0.001)),
      // The mean rises by 4 %, twice the margin.
      Mode(base: 0.1, candidate: 0.154, margin: 0.02, expects: .equivalent(0.01)),
      // The mean rises by the margin.
      Mode(base: 0.1, candidate: 0.127, margin: 0.02, expects: .equivalent(0.025)),
    ]
    for (number, mode) in modes.enumerated() {
      let seed = self.seed &+ UInt64(200_000 + number) << 32
      let study = RuleStudy(margin: mode.margin)
      let tally = RuleStudy.tally(max(1, comparisons / 100)) { comparison in
        var source = NoiseSource(.core, seed: seed &+ UInt64(comparison))
        return try? study.judge { source.modes(mode.base, mode.candidate) }
      }
      let percent = [mode.base, mode.candidate, mode.margin].map(RuleTally.percent)
      Self.add(
        Case(
          name: "\(percent[0]) to \(percent[1]) of the launches are slow, margin \(percent[2])",
          factor: 1, margin: mode.margin, expects: mode.expects), "slow mode", tally, table)
    }
  }

  /// Comparisons with ten times the core noise, which forty pairs do not decide.
  func simulatedLooks(_ table: FigureTable) {
    let cases = [
      Case(
        name: "no change, no margin, up to 640 pairs", factor: 1, margin: 0, expects: .alarms(0.004)
      ),
      Case(
        name: "no change, margin 2 %, up to 640 pairs", factor: 1, margin: 0.02,
        expects: .alarms(0.004)),
      Case(
        name: "3 % slower, margin 2 %, up to 640 pairs", factor: 1.03, margin: 0.02,
        expects: .found(equivalent: 0.01)),
      Case(
        name: "5 % slower, margin 2 %, up to 640 pairs", factor: 1.05, margin: 0.02,
        expects: .found(equivalent: 0.01)),
      Case(
        name: "slower by the margin of 2 %, up to 640 pairs", factor: 1.02, margin: 0.02,
        expects: .equivalent(0.025)),
    ]
    for (number, item) in cases.enumerated() {
      let seed = self.seed &+ UInt64(300_000 + number) << 32
      let study = RuleStudy(margin: item.margin, mostPairs: 640)
      let tally = RuleStudy.tally(max(1, comparisons / 500)) { comparison in
        var source = NoiseSource(.core, seed: seed &+ UInt64(comparison), spread: 10)
        return try? study.judge { source.pair(item.factor) }
      }
      Self.add(item, "ten times the core", tally, table)
    }
  }

  /// Five gating metrics together, and the centre alone at all looks.
  func simulatedFamilies(_ table: FigureTable) throws {
    let names = (0..<RuleStudy.gating).map { "metric \($0)" }
    let study = RuleStudy(margin: 0, metrics: names.map(RuleStudy.time), mostPairs: 640)
    let seed = seed &+ UInt64(400_000) << 32
    let tally = RuleStudy.tally(max(1, comparisons / 200)) { comparison in
      var sources = names.indices.map { metric in
        NoiseSource(.core, seed: seed &+ UInt64(comparison * names.count + metric), spread: 10)
      }
      return try? study.judge {
        let pairs = sources.indices.map { sources[$0].pair(1) }
        func side(_ launches: KeyPath<LaunchPair, [LaunchPair.Values]>) -> [LaunchPair.Values] {
          (0..<4).map { launch in
            Dictionary(
              uniqueKeysWithValues: zip(names, pairs).map { name, pair in
                (name, pair[keyPath: launches][launch][RuleStudy.metric.name] ?? 0)
              })
          }
        }
        return LaunchPair(base: side(\.base), candidate: side(\.candidate))
      }
    }
    table.add(
      "no change, no margin, up to 640 pairs, any of five independent metrics; noise: ten times the core",
      target: "false alarms <= 2 %",
      measured: "\(tally.alarmText); \(NumberFormat.grouped(tally.total)) comparisons",
      isMet: tally.keeps(0.02, .regressed, .improved))
    try simulatedCentre(table)
  }

  /// All looks up to the last, as a comparison without an end makes them: the signed rank test alone,
  /// which has four fifths of the error.
  private func simulatedCentre(_ table: FigureTable) throws {
    let schedule = try LookSchedule(metrics: RuleStudy.gating)
    let error = schedule.error * LookSchedule.centreShare
    let simulation = NullSimulation(
      looks: schedule.looks.map(\.pairs), weights: schedule.looks.map { $0.changeError / error })
    let (parts, runs, seed) = (20, max(20, comparisons / 20), seed)
    let all = Parallel.map(parts) { part in
      var simulation = simulation
      var generator = SeededGenerator(seed: seed &+ UInt64(500_000 + part) << 32)
      simulation.run(runs / parts, &generator)
      return simulation
    }.reduce(simulation) { sum, part in
      var sum = sum
      sum.add(part)
      return sum
    }
    let alarms = Int((all.error(atLevel: error) * Double(all.runs)).rounded())
    let bound = try Proportion.upperBound(events: alarms, trials: all.runs)
    table.add(
      "no change, the test of the centre alone, all \(schedule.looks.count) looks up to "
        + "\(LookSchedule.mostPairs) pairs",
      target: "false alarms <= \(RuleTally.percent(error)) per metric",
      measured: "\(RuleTally.percent(all.error(atLevel: error))) (at most "
        + "\(RuleTally.percent(bound))); \(NumberFormat.grouped(all.runs)) comparisons",
      isMet: RuleTally.keeps(error, alarms, of: all.runs))
  }
}
