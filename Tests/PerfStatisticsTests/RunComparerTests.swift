import PerfModel
import PerfStatistics
import Testing

struct RunComparerTests {
  @Test
  func `a change by an order of magnitude is improved with six launches per side`() throws {
    let slow = TestRuns.spread(800, by: 0.2, count: 6)
    let fast = TestRuns.spread(3, by: 0.5, count: 6)
    let improved = try TestRuns.compare(
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
    let regressed = try TestRuns.compare(["wall": fast], ["wall": slow])
    #expect(regressed.verdict == .regressed)
  }

  @Test
  func `a ratio is estimated on logarithms`() throws {
    let base = TestRuns.spread(100, by: 0.01, count: 10)
    let comparison = try TestRuns.compare(["wall": base], ["wall": base.map { $0 * 1.3 }])
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
    let comparison = try TestRuns.compare(
      ["frame.rate": base], ["frame.rate": base.map { $0 + 50 }],
      gate: ["frame.rate": nil])
    #expect(comparison.verdict == .improved)
  }

  @Test
  func `a change within the drift between sessions is inconclusive`() throws {
    let base = TestRuns.spread(100, by: 0.01, count: 20)
    let comparison = try TestRuns.compare(["wall": base], ["wall": base.map { $0 * 1.04 }])
    let metric = try #require(comparison.metrics.first)
    #expect(comparison.verdict == .inconclusive)
    #expect(try #require(metric.p) < 1e-6)
    #expect(
      metric.note == "the interval, widened for the drift between sessions, contains zero"
    )
    let warning = try #require(comparison.warnings.first { $0.code == "comparison.unpaired" })
    #expect(
      warning.remedy
        == "To find smaller changes, compare interleaved pairs, which `perfkit diff` makes.")
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
      let verdict = try TestRuns.compare(["wall": session()], ["wall": session()]).verdict
      #expect(verdict == .inconclusive)
    }
  }

  @Test
  func `equivalence needs a margin wider than the drift`() throws {
    let base = TestRuns.spread(100, by: 0.01, count: 20)
    let wide = try TestRuns.compare(
      ["wall": base], ["wall": base.map { $0 * 1.001 }],
      gate: ["wall": Scenario.Margin(relative: 0.1)])
    #expect(wide.verdict == .equivalent)
    let narrow = try TestRuns.compare(
      ["wall": base], ["wall": base.map { $0 * 1.001 }],
      gate: ["wall": Scenario.Margin(relative: 0.02)])
    #expect(narrow.verdict == .inconclusive)
  }

  @Test
  func `equal values are equivalent`() throws {
    let zeros = [Double](repeating: 0, count: 6)
    let comparison = try TestRuns.compare(
      ["frame.hitch_time_ratio": zeros],
      ["frame.hitch_time_ratio": zeros], gate: ["frame.hitch_time_ratio": nil])
    #expect(comparison.verdict == .equivalent)
    #expect(comparison.metrics.first?.note == "all values are equal")
    #expect(comparison.metrics.first?.ratio == nil)
  }

  @Test
  func `the interval of a deterministic count is not widened`() throws {
    let six = [Double](repeating: 100, count: 6)
    let comparison = try TestRuns.compare(
      ["alloc.count": six], ["alloc.count": six.map { $0 + 3 }],
      gate: ["alloc.count": nil])
    let metric = try #require(comparison.metrics.first)
    #expect(metric.low == 3 && metric.high == 3)
    #expect(metric.verdict == .regressed)
  }

  @Test
  func `a change below the margin is not a regression`() throws {
    let base = TestRuns.spread(100, by: 0.01, count: 10)
    let comparison = try TestRuns.compare(
      ["wall": base], ["wall": base.map { $0 * 1.2 }],
      gate: ["wall": Scenario.Margin(relative: 0.3)])
    #expect(comparison.verdict == .equivalent)
    let absolute = try TestRuns.compare(
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
    let comparison = try TestRuns.compare(
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
  func `metrics with zeros are compared as differences`() throws {
    let comparison = try TestRuns.compare(
      ["wall": [0, 1, 2, 1, 0, 1]], ["wall": [40, 41, 42, 40, 41, 42]])
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
      try TestRuns.compare(
        ["frame.count": steady, "wall": steady, "frame.rate": steady],
        ["frame.count": doubled, "wall": wall, "frame.rate": rate],
        gate: ["wall": wide, "frame.rate": wide]
      ).verdict
    }
    #expect(try verdict(steady, steady) == .equivalent)
    #expect(try verdict(steady, doubled) == .improved)
    #expect(try verdict(doubled, doubled) == .regressed)
    #expect(try verdict(steady.map { $0 * 1.16 }, doubled) == .inconclusive)
    let all = try TestRuns.compare(
      ["frame.count": steady, "wall": steady], ["frame.count": doubled, "wall": steady])
    #expect(all.metrics.map(\.definition.name) == ["wall", "frame.count"])
    #expect(all.metrics[1].note == "not judged: neither direction is better")
  }
}
