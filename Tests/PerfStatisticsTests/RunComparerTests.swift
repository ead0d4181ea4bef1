import PerfModel
import PerfStatistics
import Testing

struct RunComparerTests {
  func compare(
    _ base: [String: [Double]], _ candidate: [String: [Double]],
    gate: [String: Scenario.Margin?] = [:]
  ) throws -> Comparison {
    try RunComparer(policy: Scenario.GatePolicy(metrics: gate)).compare(
      TestRuns.run(base, id: "a"), TestRuns.run(candidate, id: "b"))
  }

  @Test
  func `a change by an order of magnitude is improved with six launches per side`() throws {
    let slow = TestRuns.spread(800, by: 0.2, count: 6)
    let fast = TestRuns.spread(3, by: 0.5, count: 6)
    let improved = try compare(
      ["frame.hitch_time_ratio": slow], ["frame.hitch_time_ratio": fast],
      gate: ["frame.hitch_time_ratio": nil])
    #expect(improved.verdict == .improved)
    let metric = try #require(improved.metrics.first)
    #expect(metric.isGating && metric.verdict == .improved)
    #expect(metric.definition.scale == .difference)
    // The sides do not overlap: p is 2/C(12, 6).
    #expect(isClose(metric.p, 2 / 924.0))
    // One metric gates, so each side has an error of 0.01: P(U <= 3) = 7/924 <= 0.01 < P(U <= 4) =
    // 12/924. So the limits are the fourth of the ordered differences from both ends. The slow
    // launches are 720, 752, ..., 880, the fast ones 2.25, 2.55, ..., 3.75; 5 % of 800 is added on
    // both sides.
    #expect(isClose(metric.low, 3.15 - 880 - 40))
    #expect(isClose(metric.high, 2.85 - 720 + 40))
    #expect(metric.n == .init(base: 6, candidate: 6))
    let regressed = try compare(["wall": fast], ["wall": slow])
    #expect(regressed.verdict == .regressed)
  }

  @Test
  func `a ratio is estimated on logarithms`() throws {
    let base = TestRuns.spread(100, by: 0.01, count: 10)
    let comparison = try compare(["wall": base], ["wall": base.map { $0 * 1.3 }])
    let metric = try #require(comparison.metrics.first)
    #expect(metric.definition.scale == .ratio)
    #expect(isClose(metric.ratio, 1.3))
    #expect(isClose(metric.estimate, 0.3))
    #expect(metric.margin == 0.02)
    #expect(metric.verdict == .regressed)
    #expect(comparison.alpha == 0.02)
    // The interval is symmetric around 1.3 on the logarithm, and extends at least 5 % on both
    // sides.
    let (low, high) = (try #require(metric.low), try #require(metric.high))
    #expect(isClose((1 + low) * (1 + high), 1.69))
    #expect(high > 1.3 * 1.05 - 1)
  }

  @Test
  func `an increase is improved if higher values are better`() throws {
    let base = TestRuns.spread(60, by: 0.02, count: 8)
    let comparison = try compare(
      ["frame.rate": base], ["frame.rate": base.map { $0 + 50 }],
      gate: ["frame.rate": nil])
    #expect(comparison.verdict == .improved)
  }

  @Test
  func `a change within the drift between sessions is inconclusive`() throws {
    let base = TestRuns.spread(100, by: 0.01, count: 20)
    let comparison = try compare(["wall": base], ["wall": base.map { $0 * 1.04 }])
    let metric = try #require(comparison.metrics.first)
    #expect(comparison.verdict == .inconclusive)
    #expect(try #require(metric.p) < 1e-6)
    #expect(
      metric.note == "the interval, widened for the drift between sessions, contains zero"
    )
    let warning = try #require(comparison.warnings.first { $0.code == "comparison.unpaired" })
    #expect(
      warning.remedy
        == "To find smaller changes, interleave the launches of both sides.")
  }

  @Test
  func `drift between sessions raises no false alarm`() throws {
    // Each session is slower or faster by up to 2.5 %, its launches by another 1 %: 200 comparisons
    // of an unchanged program.
    var generator = SeededGenerator(seed: 5)
    func session() -> [Double] {
      let level = 1 + 0.05 * (generator.nextUniform() - 0.5)
      return (0..<10).map { _ in 50 * level * (1 + 0.02 * (generator.nextUniform() - 0.5)) }
    }
    for _ in 0..<200 {
      let verdict = try compare(["wall": session()], ["wall": session()]).verdict
      #expect(verdict == .inconclusive)
    }
  }

  @Test
  func `equivalence needs a margin wider than the drift`() throws {
    let base = TestRuns.spread(100, by: 0.01, count: 20)
    let wide = try compare(
      ["wall": base], ["wall": base.map { $0 * 1.001 }],
      gate: ["wall": Scenario.Margin(relative: 0.1)])
    #expect(wide.verdict == .equivalent)
    let narrow = try compare(
      ["wall": base], ["wall": base.map { $0 * 1.001 }],
      gate: ["wall": Scenario.Margin(relative: 0.02)])
    #expect(narrow.verdict == .inconclusive)
  }

  @Test
  func `equal values are equivalent`() throws {
    let zeros = [Double](repeating: 0, count: 6)
    let comparison = try compare(
      ["frame.hitch_time_ratio": zeros],
      ["frame.hitch_time_ratio": zeros], gate: ["frame.hitch_time_ratio": nil])
    #expect(comparison.verdict == .equivalent)
    #expect(comparison.metrics.first?.note == "all values are equal")
    #expect(comparison.metrics.first?.ratio == nil)
  }

  @Test
  func `the interval of a deterministic count is not widened`() throws {
    let six = [Double](repeating: 100, count: 6)
    let comparison = try compare(
      ["alloc.count": six], ["alloc.count": six.map { $0 + 3 }],
      gate: ["alloc.count": nil])
    let metric = try #require(comparison.metrics.first)
    #expect(metric.low == 3 && metric.high == 3)
    #expect(metric.verdict == .regressed)
  }

  @Test
  func `a change below the margin is not a regression`() throws {
    let base = TestRuns.spread(100, by: 0.01, count: 10)
    let comparison = try compare(
      ["wall": base], ["wall": base.map { $0 * 1.2 }],
      gate: ["wall": Scenario.Margin(relative: 0.3)])
    #expect(comparison.verdict == .equivalent)
    let absolute = try compare(
      ["wall": base], ["wall": base.map { $0 * 1.25 }],
      gate: ["wall": Scenario.Margin(relative: 0.02, absolute: 26)])
    let metric = try #require(absolute.metrics.first)
    // With both parts the larger one counts: 26 ns, not 2 % of 100 ns. It is absolute, so
    // differences are compared.
    #expect(metric.margin == 26)
    #expect(metric.definition.scale == .difference)
    #expect(metric.verdict == .inconclusive)
    #expect(metric.note == "compared as a difference; changed by less than the margin")
  }

  @Test
  func `too few launches are inconclusive, with the number that is needed`() throws {
    // Three metrics gate: 0.02/3 = 0.0067; 2/C(8, 4) = 0.029, 2/C(10, 5) = 0.0079, 2/C(12, 6) = 0.0022.
    let comparison = try compare(
      ["wall": [1, 1.1, 1.2], "frame.rate": [1, 2, 3], "alloc.count": [1, 2, 3]],
      ["wall": [9, 9.1, 9.2], "frame.rate": [1, 2, 3], "alloc.count": [1, 2, 3]],
      gate: ["wall": nil, "frame.rate": nil, "alloc.count": nil])
    let metric = try #require(comparison.metrics.first { $0.definition.name == "wall" })
    #expect(metric.verdict == .inconclusive)
    #expect(metric.low == nil && metric.high == nil)
    // The median of the nine ratios of 9, 9.1, 9.2 to 1, 1.1, 1.2 is 9.1/1.1.
    #expect(isClose(metric.estimate, 9.1 / 1.1 - 1))
    #expect(
      metric.note == "3 and 3 launches cannot show any change; at least 6 per side are needed")
    let warning = try #require(comparison.warnings.first { $0.code == "comparison.few_iterations" })
    #expect(warning.remedy == "Measure at least 6 launches per side.")
  }

  @Test(arguments: [(1, 1, false), (2, 2, false), (4, 4, false), (6, 6, true), (1, 40, false)])
  func `equal values are equivalent only if there are enough launches`(
    base: Int, candidate: Int, isShown: Bool
  ) throws {
    // The smallest p-value of 6 and 6 launches is 2/924, below the level of 0.02; of 4 and 4
    // launches it is 2/70.
    let times = { TestRuns.run(["wall": [Double](repeating: 5, count: $0)]) }
    let comparison = try RunComparer().compare(times(base), times(candidate))
    #expect(comparison.verdict == (isShown ? .equivalent : .inconclusive))
    #expect(
      comparison.metrics.first?.note.contains("cannot show any change") == !isShown)
    // A deterministic count is equal in every launch, so one launch suffices.
    let counts = { TestRuns.run(["alloc.count": [Double](repeating: 5, count: $0)]) }
    let exact = try RunComparer(policy: .init(metrics: ["alloc.count": nil]))
      .compare(counts(base), counts(candidate))
    #expect(exact.verdict == .equivalent)
  }

  @Test
  func `a run comparison of negative times is inconclusive`() throws {
    for (base, candidate) in [(-5.0, -9.0), (5, -5), (-5, 5)] {
      let sides = [base, candidate].map { TestRuns.spread($0, by: 0.001, count: 8) }
      let comparison = try compare(["wall": sides[0]], ["wall": sides[1]])
      #expect(comparison.verdict == .inconclusive)
      #expect(
        try #require(comparison.metrics.first).note
          == "\(base < 0 && candidate < 0 ? 16 : 8) negative values, which the metric cannot have")
    }
  }

  @Test
  func `metrics with zeros are compared as differences`() throws {
    let comparison = try compare(["wall": [0, 1, 2, 1, 0, 1]], ["wall": [40, 41, 42, 40, 41, 42]])
    let metric = try #require(comparison.metrics.first)
    #expect(metric.definition.scale == .difference)
    #expect(metric.note == "compared as a difference")
    #expect(metric.verdict == .regressed)
  }

  @Test
  func `gating metrics come first and decide together`() throws {
    let steady = TestRuns.spread(100, by: 0.001, count: 8)
    let doubled = steady.map { $0 * 2 }
    let wide = Scenario.Margin(relative: 0.2)
    func verdict(_ wall: [Double], _ rate: [Double]) throws -> ComparisonVerdict {
      try compare(
        ["frame.count": steady, "wall": steady, "frame.rate": steady],
        ["frame.count": doubled, "wall": wall, "frame.rate": rate],
        gate: ["wall": wide, "frame.rate": wide]
      ).verdict
    }
    #expect(try verdict(steady, steady) == .equivalent)
    #expect(try verdict(steady, doubled) == .improved)
    #expect(try verdict(doubled, doubled) == .regressed)
    #expect(try verdict(steady.map { $0 * 1.16 }, doubled) == .inconclusive)
    let all = try compare(
      ["frame.count": steady, "wall": steady], ["frame.count": doubled, "wall": steady])
    #expect(all.metrics.map(\.definition.name) == ["wall", "frame.count"])
    #expect(all.metrics[1].note == "not judged: neither direction is better")
  }

  @Test
  func `a gating metric that one side lacks is inconclusive and named`() throws {
    let values = TestRuns.spread(100, by: 0.001, count: 8)
    let half = try compare(
      ["wall": values, "frame.rate": values], ["wall": values.map { $0 / 9 }],
      gate: ["wall": nil, "frame.rate": nil])
    #expect(half.verdict == .inconclusive)
    #expect(half.metrics.map(\.note).contains("no values in the candidate"))
    let none = try compare(
      ["wall": values], ["wall": values.map { $0 / 9 }],
      gate: ["wall": nil, "rss.peak": nil])
    #expect(none.verdict == .inconclusive)
    #expect(none.warnings.contains { $0.code == "comparison.metric_missing" })
  }

  @Test
  func `runs without a common metric are an error`() {
    #expect(throws: StatisticsError.nothingInCommon(base: "a", candidate: "b")) {
      try compare(["wall": [1, 2]], ["frame.rate": [1, 2]])
    }
    #expect(throws: StatisticsError.nothingInCommon(base: "a", candidate: "b")) {
      try compare([:], [:])
    }
  }

  @Test
  func `a value that is not finite leaves its metric inconclusive`() throws {
    let comparison = try compare(["wall": [1, .nan, 3]], ["wall": [1, 2, 3]])
    let metric = try #require(comparison.metrics.first)
    #expect(metric.verdict == .inconclusive)
    #expect(metric.base == nil && metric.candidate == 2)
    #expect(metric.note.contains("is not a finite number"))
  }

  @Test
  func `different machines make a comparison void unless they are allowed with a warning`() throws {
    let values = TestRuns.spread(100, by: 0.01, count: 8)
    let base = TestRuns.run(
      ["wall": values], id: "a", environment: [.cpuModel: "X", .kernel: "6.1.5"])
    let candidate = TestRuns.run(
      ["wall": values.map { $0 * 2 }], id: "b", environment: [.cpuModel: "Y", .kernel: "6.1.9"])
    let comparison = try RunComparer().compare(base, candidate)
    #expect(comparison.verdict == .void)
    #expect(comparison.environmentDifferences.map(\.key) == ["cpu.model"])
    #expect(comparison.warnings.contains { $0.code == "comparison.environments_differ" })
    let allowed = try RunComparer(allowsDifferentEnvironments: true).compare(base, candidate)
    #expect(allowed.verdict == .regressed)
    #expect(allowed.warnings.contains { $0.code == "comparison.environments_allowed" })
  }

  @Test(
    arguments: [
      ([:], [:], "the base and the candidate"),
      ([.buildIdentity: "1"], [.buildIdentity: "2"], "the base and the candidate"),
      ([.buildFlags: "-O"], [.buildIdentity: "2"], "the candidate"),
      ([.buildIdentity: "1"], [.buildIdentity: "1"], nil),
      ([.buildFlags: "-O"], [.buildFlags: "-O"], nil),
    ] as [([Environment.Key: String], [Environment.Key: String], String?)])
  func `unknown build flags raise a warning unless both sides are of one build`(
    base: [Environment.Key: String], candidate: [Environment.Key: String], unknown: String?
  ) throws {
    let values = ["wall": TestRuns.spread(100, by: 0.01, count: 8)]
    let comparison = try RunComparer().compare(
      TestRuns.run(values, environment: base), TestRuns.run(values, environment: candidate))
    let warning = comparison.warnings.first { $0.code == "comparison.flags_unknown" }
    #expect(
      warning?.message
        == unknown.map {
          "the build flags of \($0) are unknown, so different flags would look like a change of the "
            + "program"
        })
  }

  @Test
  func `other parameters or scenarios, lost launches and debug builds raise warnings`() throws {
    let values = TestRuns.spread(100, by: 0.01, count: 8)
    func codes(_ base: Run, _ candidate: Run) throws -> Set<String> {
      Set(try RunComparer().compare(base, candidate).warnings.map(\.code))
    }
    let plain = TestRuns.run(["wall": values], environment: [.buildIdentity: "1"])
    #expect(try codes(plain, plain) == ["comparison.unpaired"])
    let more = TestRuns.run(["wall": values], parameters: ["books": .int(5)])
    #expect(try codes(plain, more).contains("comparison.parameters_differ"))
    let other = TestRuns.run(["wall": values], scenario: "t")
    #expect(try codes(plain, other).contains("comparison.scenarios_differ"))
    #expect(try RunComparer().compare(plain, other).verdict == .void)
    #expect(
      try RunComparer(allowsDifferentEnvironments: true).compare(plain, other).verdict == .void)
    let lost = TestRuns.run(["wall": values], lost: 2)
    #expect(try codes(plain, lost).contains("comparison.launches_lost"))
    let debug = TestRuns.run(["wall": values], environment: [.configuration: "debug"])
    #expect(try codes(debug, debug).contains("comparison.debug_build"))
  }

  @Test
  func `a metric that some launches lack is regressed or inconclusive`() throws {
    // Twenty launches per side, whose intervals are narrow even when widened for drift.
    func verdict(_ base: Run, _ candidate: Run) throws -> (ComparisonVerdict, String) {
      let comparison = try RunComparer(
        policy: Scenario.GatePolicy(margin: .init(relative: 0.2), metrics: ["wall": nil])
      ).compare(base, candidate)
      let metric = try #require(comparison.metrics.first { $0.definition.name == "wall" })
      return (metric.verdict, metric.note)
    }
    func run(_ middle: Double, lost: Int = 0) -> Run {
      TestRuns.run(["wall": TestRuns.spread(middle, by: 0.001, count: 20)], lost: lost)
    }
    #expect(try verdict(run(100), run(50)) == (.improved, ""))
    let gap = "missing in 2 of 22 launches of the candidate"
    #expect(try verdict(run(100), run(50, lost: 2)) == (.inconclusive, gap))
    let both =
      "missing in 2 of 22 launches of the base, missing in 1 of 21 launches of the candidate"
    #expect(try verdict(run(100, lost: 2), run(50, lost: 1)) == (.inconclusive, both))
    #expect(try verdict(run(50), run(100, lost: 2)) == (.regressed, ""))
  }

  @Test
  func `sampler warnings are reported once per kind and side`() throws {
    let values = TestRuns.spread(100, by: 0.01, count: 8)
    func run(_ warnings: [String]) -> Run {
      var audit = ProfileAudit()
      audit.warnings = warnings.map { RunWarning(code: "sampler.\($0)", message: $0) }
      return TestRuns.run(
        ["wall": values],
        profile: Profile(
          functions: [], nodes: [], threads: [], phases: [""], counts: [], timeline: [:],
          audit: audit))
    }
    let (base, candidate) = (run(["late"]), run(["dropped", "late", "dropped"]))
    let expected = ["base: late", "candidate: dropped", "candidate: late"]
    for comparison in [
      try RunComparer().compare(base, candidate),
      try PairedComparer(seed: 1).compare(base, candidate, launchesPerPair: 4),
    ] {
      let told = comparison.warnings.filter { $0.code.hasPrefix("sampler.") }
      #expect(told.map(\.message) == expected)
    }
  }
}
