import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

struct PairedComparerTests {
  /// Returns twelve pairs of four launches; the candidate's wall time is the base's times a factor.
  func runs(
    _ factor: Double, lost: Int = 0, environment: [Environment.Key: String] = [:]
  ) -> (Run, Run) {
    let noise = PairedData.noise(6, 96)
    let base = (0..<48).map { 100 + 0.2 * noise[$0] }
    let candidate = (0..<48).map { factor * (100 + 0.2 * noise[48 + $0]) }
    return (
      TestRuns.run(["wall": base], id: "a", lost: lost),
      TestRuns.run(["wall": candidate], id: "b", environment: environment, lost: lost)
    )
  }

  @Test
  func `launches are assigned to pairs by their order, even failed ones`() {
    let base = SampleRuns.run(seed: 1, launches: 9, statuses: [2: .crashed(signal: 6)])
    let candidate = SampleRuns.run(seed: 2, launches: 10)
    let pairs = LaunchPair.pairs(of: base, candidate, launches: 4)
    #expect(pairs.count == 2 && pairs.allSatisfy { $0.base.count == 4 && $0.candidate.count == 4 })
    // Launch 0 is the warm-up, so launch 2 is the second of the first pair.
    #expect(pairs[0].base[1] == ["crash.rate": 1])
    #expect(pairs[0].base[0]["crash.rate"] == 0)
    #expect(pairs[1].base[0]["wall"] == base.launches[5].metrics["wall"])
  }

  @Test
  func `a stored comparison has the verdicts of the sequential judge`() throws {
    let (base, candidate) = runs(1.05)
    let comparer = PairedComparer(seed: 4)
    var judge = try comparer.judge(base.definitions, budgets: [], launchesPerPair: 4)
    for pair in LaunchPair.pairs(of: base, candidate, launches: 4) where !judge.isDecided {
      judge.add(pair)
    }
    let comparison = try comparer.compare(base, candidate, launchesPerPair: 4)
    #expect(comparison.metrics == judge.judgements.map(\.comparison))
    #expect(comparison.verdict == .regressed && comparison.verdict == judge.verdict())
    #expect(comparison.pairing == .init(pairs: 12, launchesPerPair: 4, isDecided: true))
    #expect(comparison.alpha == 0.02 && comparison.seed == 4)
    let metric = try #require(comparison.metrics.first)
    #expect(metric.decidedAt == 11 && metric.isGating)
    #expect(metric.n == .init(base: 11, candidate: 11))
    #expect(isClose(metric.estimate, 0.05, within: 0.001))
  }

  @Test
  func `too few pairs are undecided, with the number that is needed`() throws {
    let (base, candidate) = runs(1)
    let short = { (run: Run) in
      TestRuns.run(["wall": Array(run.values(of: "wall").prefix(20))], id: run.id)
    }
    let comparison = try PairedComparer(seed: 1).compare(
      short(base), short(candidate), launchesPerPair: 4)
    #expect(comparison.verdict == .inconclusive)
    #expect(comparison.pairing == .init(pairs: 5, launchesPerPair: 4, isDecided: false))
    #expect(comparison.metrics.first?.pairsNeeded == 6)
  }

  @Test(arguments: [
    (9, "Measure more pairs with --min-pairs, or pass a higher --rate."),
    (40, "Measure more pairs with --min-pairs, or pass a higher --rate."),
  ])
  func `too few samples are remedied by more pairs or a higher rate`(
    launches: Int, remedy: String
  ) throws {
    let (base, candidate) = (
      SampleRuns.run(seed: 1, launches: launches), SampleRuns.run(seed: 2, launches: launches)
    )
    let comparison = try PairedComparer(policy: .init(metrics: ["wall": nil]), seed: 1)
      .compare(base, candidate, launchesPerPair: 1)
    let warning = try #require(comparison.warnings.first { $0.code == "comparison.few_samples" })
    #expect(warning.remedy == remedy)
  }

  @Test
  func `a moved control or a different environment makes a comparison void`() throws {
    let (base, candidate) = runs(1)
    let comparer = PairedComparer(seed: 1)
    let control = try comparer.compare(
      base, candidate, launchesPerPair: 4, movedControls: ["scan"])
    #expect(control.verdict == .void)
    #expect(control.warnings.contains { $0.code == "comparison.control_moved" })
    let cpu = { (model: String) in
      TestRuns.run(
        ["wall": base.values(of: "wall")], id: model, environment: [.cpuModel: model])
    }
    #expect(try comparer.compare(cpu("a"), cpu("b"), launchesPerPair: 4).verdict == .void)
    var allowing = comparer
    allowing.allowsDifferentEnvironments = true
    let allowed = try allowing.compare(cpu("a"), cpu("b"), launchesPerPair: 4)
    #expect(allowed.verdict == .equivalent)
    #expect(allowed.warnings.contains { $0.code == "comparison.environments_allowed" })

    // A verdict computed again from the evidence has the same reasons.
    let (old, new) = (cpu("a"), cpu("b"))
    let void = try allowing.compare(old, new, launchesPerPair: 4, movedControls: ["scan"])
    let evidence = PairedEvidence(
      void,
      design: ComparisonDesign(
        seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy(),
        allowsDifferentEnvironments: true, launchesPerPair: 4),
      definitions: [TestRuns.time], gating: ["wall"],
      environments: (old.environment, new.environment),
      pairs: LaunchPair.pairs(of: old, new, launches: 4))
    let again = try evidence.judgedAgain()
    #expect(void.verdict == .void && evidence.differences(to: again).isEmpty)
    #expect(
      again.warnings.map(\.code) == ["comparison.control_moved", "comparison.environments_allowed"])
  }

  @Test
  func `a control metric that moves makes the comparison void, with its change`() throws {
    let (base, candidate) = runs(1)
    let noise = PairedData.noise(9, 48)
    func with(_ run: Run, _ more: Double) -> Run {
      TestRuns.run(
        ["wall": run.values(of: "wall"), "alloc.count": noise.map { 100 + 0.2 * $0 + more }],
        id: run.id)
    }
    let (old, same, moved) = (with(base, 0), with(candidate, 0), with(candidate, 5))
    var comparer = PairedComparer(
      policy: .init(metrics: ["wall": nil]), seed: 1, controls: .init(metrics: ["alloc.count"]))
    #expect(try comparer.compare(old, same, launchesPerPair: 4).verdict == .equivalent)
    let void = try comparer.compare(old, moved, launchesPerPair: 4)
    #expect(void.verdict == .void)
    let warning = try #require(void.warnings.first { $0.code == "comparison.control_moved" })
    // The noise is equal on both sides, so every pair differs by five calls.
    #expect(warning.message == "the control metric alloc.count rose by 5")
    // Without a declaration it is only a metric that does not gate.
    comparer.controls = .init()
    #expect(try comparer.compare(old, moved, launchesPerPair: 4).verdict == .equivalent)
  }

  @Test
  func `a control function that cannot be checked is reported with the nearest name`() throws {
    let (base, candidate) = runs(1)
    let comparer = PairedComparer(seed: 1, controls: .init(functions: ["decode"]))
    let comparison = try comparer.compare(base, candidate, launchesPerPair: 4)
    #expect(comparison.verdict == .equivalent)
    let unseen = comparison.warnings.filter { $0.code == "comparison.control_unseen" }
    #expect(
      unseen.map(\.message) == [
        "the control function 'decode' cannot be checked without profiles of both sides"
      ])
    let named = { (name: String) in
      try PairedComparer(seed: 1, controls: .init(functions: [name])).compare(
        SampleRuns.run(seed: 1, variant: "naive", launches: 12),
        SampleRuns.run(seed: 2, variant: "optimised", launches: 12), launchesPerPair: 1)
    }
    let functions = try named("x").functions
    let changed = try #require(functions.first { $0.isSignificant })
    #expect(try named(changed.name).verdict == .void)
    let slip = try named(changed.name + "x").warnings
    #expect(slip.contains { $0.message.contains("did you mean '\(changed.name)'?") })
  }

  @Test
  func `an unmeasured control prevents any verdict but regressed`() throws {
    // The first 48 - `lacking` launches have the control metric.
    func with(_ run: Run, lacking: Int = 0) -> Run {
      TestRuns.run(
        [
          "wall": run.values(of: "wall"),
          "alloc.count": [Double](repeating: 7, count: 48 - lacking),
        ], id: run.id)
    }
    let (base, same) = runs(1)
    let comparer = PairedComparer(
      policy: .init(metrics: ["wall": nil]), seed: 1, controls: .init(metrics: ["alloc.count"]))
    func compare(_ candidate: Run, unknown: [String] = []) throws -> Comparison {
      try comparer.compare(
        with(base), candidate, launchesPerPair: 4, unknownControls: unknown)
    }
    #expect(try compare(with(same)).verdict == .equivalent)
    // The last five launches belong to the last two pairs.
    let gap =
      "the control alloc.count (missing in 2 pairs of the candidate) was not measured as planned"
    let end = ", so nothing is called equivalent or improved"
    func message(_ comparison: Comparison) -> String? {
      comparison.warnings.first { $0.code == "comparison.control_unknown" }?.message
    }
    let open = try compare(with(same, lacking: 5))
    #expect(open.verdict == .inconclusive && message(open) == gap + end)
    let absent = try compare(same)
    #expect(absent.verdict == .inconclusive)
    #expect(
      message(absent)?.hasPrefix("the control alloc.count (no values in the candidate)") == true)
    let outside = try compare(with(same), unknown: ["scan", "sort"])
    #expect(outside.verdict == .inconclusive)
    #expect(
      message(outside)
        == "the controls scan, sort were not measured as planned" + end)
    for (factor, verdict) in [(0.9, ComparisonVerdict.inconclusive), (1.1, .regressed)] {
      #expect(try compare(with(runs(factor).1), unknown: ["scan"]).verdict == verdict)
    }
    // The evidence gives the same verdict again.
    let evidence = PairedEvidence(
      outside,
      design: ComparisonDesign(
        seed: 1, gatingCount: 1, maxPairs: 40, policy: comparer.policy, launchesPerPair: 4),
      definitions: [TestRuns.time], gating: ["wall"],
      environments: (base.environment, same.environment),
      pairs: LaunchPair.pairs(of: base, same, launches: 4))
    #expect(try evidence.judgedAgain().verdict == .inconclusive)
  }

  @Test
  func `a control metric that no launch has is reported as unmeasured`() throws {
    let (base, candidate) = runs(1)
    let comparison = try PairedComparer(seed: 1, controls: .init(metrics: ["scan"]))
      .compare(base, candidate, launchesPerPair: 4)
    #expect(comparison.verdict == .inconclusive)
    let warning = comparison.warnings.first { $0.code == "comparison.control_unknown" }
    #expect(
      warning?.message.hasPrefix("the control scan (missing in all launches) was not measured")
        == true)
  }

  @Test
  func `runs without a pair have nothing in common`() {
    let (base, _) = runs(1)
    #expect(throws: StatisticsError.nothingInCommon(base: "a", candidate: "c")) {
      try PairedComparer(seed: 1).compare(
        base, TestRuns.run(["wall": [1, 2, 3]], id: "c"), launchesPerPair: 4)
    }
  }

  @Test
  func `paired profiles name changed functions`() throws {
    let comparison = try PairedComparer(seed: 1).compare(
      SampleRuns.run(seed: 1, variant: "naive", launches: 12),
      SampleRuns.run(seed: 2, variant: "optimised", launches: 12), launchesPerPair: 1)
    #expect(comparison.verdict == .improved)
    #expect(!comparison.functions.isEmpty)
  }
}
