import PerfModel
import PerfStatistics
import Testing

struct RunComparerBaselineTests {
  /// Returns sessions on different days with these medians.
  func sessions(
    _ medians: [Double], hoursApart: Int64 = 24, environment: [Environment.Key: String] = [:]
  ) -> [Run] {
    medians.enumerated().map { index, median in
      TestRuns.run(
        ["wall": TestRuns.spread(median, by: 0.01, count: 7)], id: "s\(index)",
        environment: environment, hour: Int64(index) * hoursApart)
    }
  }

  func compare(
    _ value: Double, _ sessions: [Run], environment: [Environment.Key: String] = [:]
  ) throws -> Comparison {
    try RunComparer().compare(
      TestRuns.run(
        ["wall": TestRuns.spread(value, by: 0.01, count: 7)], id: "new", environment: environment),
      sessions: sessions)
  }

  let five = [100.0, 103, 98, 101, 99]

  @Test
  func `a baseline of four sessions gives an inconclusive verdict and a hint`() throws {
    let comparison = try compare(500, sessions([100, 103, 98, 101]))
    #expect(comparison.verdict == .inconclusive)
    #expect(
      comparison.metrics.first?.note
        == "the spread between sessions needs 5 sessions, the baseline has 4")
    let warning = try #require(comparison.warnings.first)
    #expect(warning.code == "baseline.few_sessions")
    #expect(warning.message.hasPrefix("the baseline has 4 sessions of this environment;"))
    #expect(warning.remedy.hasPrefix("Add 1 more with `perfkit baseline save NAME RUN --add`,"))
  }

  @Test
  func `warnings about one session use the singular`() throws {
    let other = TestRuns.run(["wall": five], id: "other", environment: [.cpuModel: "Y"])
    let here = TestRuns.run(["wall": five], id: "here", environment: [.cpuModel: "X"])
    let warnings = try compare(100, [other, here], environment: [.cpuModel: "X"]).warnings
    #expect(
      warnings.map(\.message) == [
        "1 of 2 sessions of the baseline was measured in another environment and is not used",
        "the baseline has 1 session of this environment; a verdict needs 5",
      ])
  }

  @Test
  func `sessions from another host are used with a warning`() throws {
    let runs = five.enumerated().map { index, value in
      TestRuns.run(
        ["wall": TestRuns.spread(value, by: 0.01, count: 7)], id: "s\(index)",
        environment: [.host: index < 2 ? "there" : "here"])
    }
    func compare(on host: String?) throws -> Comparison {
      let candidate = TestRuns.run(
        ["wall": TestRuns.spread(10, by: 0.01, count: 7)], id: "new",
        environment: host.map { [.host: $0] } ?? [:])
      return try RunComparer().compare(candidate, sessions: runs)
    }
    let comparison = try compare(on: "here")
    #expect(comparison.sessions == 5)
    let warning = try #require(
      comparison.warnings.first { $0.code == "baseline.other_hosts" })
    #expect(
      warning.message
        == "2 of 5 sessions of the baseline were measured on another host (there)")
    #expect(try !compare(on: nil).warnings.contains { $0.code == "baseline.other_hosts" })
  }

  @Test
  func `sessions with other parameters are excluded with a warning`() throws {
    func run(_ value: Double, _ id: String, _ parameters: Parameters, hour: Int = 0) -> Run {
      TestRuns.run(
        ["wall": TestRuns.spread(value, by: 0.01, count: 7)], id: id, parameters: parameters,
        hour: Int64(hour))
    }
    let candidate = run(10, "new", ["books": .int(100), "seed": .int(1)])
    // A session without the parameter does not differ in it.
    let alike = five.enumerated().map { run($1, "s\($0)", ["books": .int(100)], hour: $0) }
    let others = five.enumerated().map { run($1, "o\($0)", ["books": .int(1000)]) }
    #expect(try RunComparer().compare(candidate, sessions: alike).verdict == .improved)
    let mixed = try RunComparer().compare(candidate, sessions: alike + others.prefix(1))
    #expect(mixed.sessions == 5 && mixed.verdict == .improved)
    #expect(
      mixed.warnings.first?.message
        == "1 of 6 sessions of the baseline was measured with other parameters or arguments and is not used"
    )
    let none = try RunComparer().compare(candidate, sessions: others)
    #expect(none.verdict == .void)
    #expect(none.warnings.contains { $0.code == "baseline.other_parameters" })
  }

  @Test
  func `a change beyond the spread of five sessions is regressed or improved`() throws {
    #expect(try compare(130, sessions(five)).verdict == .regressed)
    #expect(try compare(70, sessions(five)).verdict == .improved)
  }

  @Test
  func `a baseline comparison of negative times is inconclusive`() throws {
    let below = try compare(-5, sessions(five))
    #expect(below.verdict == .inconclusive)
    #expect(below.metrics.first?.note == "7 negative values, which the metric cannot have")
    let baseline = try compare(5, sessions([-100, -103, -98, -101, 99]))
    #expect(baseline.verdict == .inconclusive)
    #expect(baseline.metrics.first?.note == "28 negative values, which the metric cannot have")
  }

  @Test
  func `launches without the metric prevent any verdict but regressed`() throws {
    func compare(_ value: Double, lost: Int = 0) throws -> Comparison {
      // Six of ten completed launches have the metric; crashed launches never do.
      let new = TestRuns.run(
        [
          "wall": TestRuns.spread(value, by: 0.01, count: 6),
          "frame.count": [Double](repeating: 9, count: 10),
        ], id: "new", lost: lost)
      return try RunComparer(policy: .init(metrics: ["wall": nil]))
        .compare(new, sessions: sessions(five))
    }
    for value in [100.0, 70] {
      let comparison = try compare(value)
      #expect(comparison.verdict == .inconclusive)
      #expect(comparison.metrics.first?.note == "missing in 4 of 10 launches of the candidate")
    }
    let crashed = try compare(100, lost: 2).metrics.first
    #expect(crashed?.note == "missing in 6 of 12 launches of the candidate")
    #expect(crashed?.failures == 2)
    #expect(try compare(130).verdict == .regressed)
  }

  @Test
  func `the interval is the prediction interval of one further session`() throws {
    // By hand: the five logarithms have mean 4.607021 and standard deviation 0.019136. One metric
    // gates, so t(4) at 98 % = 3.74695 (any table), times sqrt(6/5): -+ 0.078545. The logarithm of
    // 101 is 4.615121, so the change is between -0.070446 and 0.086645: -6.802 % and 9.051 %.
    let comparison = try compare(101, sessions(five))
    #expect(comparison.sessions == 5)
    let metric = try #require(comparison.metrics.first)
    #expect(metric.verdict == .equivalent)
    #expect(metric.note == "within the spread of 5 sessions")
    #expect(isClose(metric.estimate, 0.01))
    #expect(isClose(metric.low, -0.06802, within: 1e-5))
    #expect(isClose(metric.high, 0.09051, within: 1e-5))
    #expect(metric.n == .init(base: 5, candidate: 7))
  }

  @Test
  func `a change beyond the spread but within the margin is not regressed`() throws {
    // Equal sessions have no spread; 1 % is below the margin of 2 %.
    let metric = try #require(
      try compare(101, sessions([100, 100, 100, 100, 100])).metrics.first)
    #expect(metric.verdict == .equivalent)
    #expect(metric.note == "beyond the spread of 5 sessions, but less than the margin")
  }

  @Test
  func `sessions from another machine are excluded`() throws {
    let here: [Environment.Key: String] = [.cpuModel: "X"]
    let there = sessions([100, 100], environment: [.cpuModel: "Y"])
    let mixed = sessions([100, 103, 98, 101], environment: here) + there
    let comparison = try compare(500, mixed, environment: here)
    #expect(comparison.verdict == .inconclusive)
    #expect(
      comparison.warnings.map(\.code) == ["baseline.other_environment", "baseline.few_sessions"])
    #expect(try compare(500, there, environment: here).verdict == .void)
  }

  @Test
  func `sessions from another machine are used with a warning if allowed`() throws {
    let run = TestRuns.run(
      ["wall": TestRuns.spread(130, by: 0.01, count: 7)], id: "new",
      environment: [.cpuModel: "X"])
    let comparison = try RunComparer(allowsDifferentEnvironments: true).compare(
      run, sessions: sessions(five, environment: [.cpuModel: "Y"]))
    #expect(comparison.verdict == .regressed)
    #expect(comparison.warnings.map(\.code) == ["comparison.environments_allowed"])
    #expect(comparison.warnings.first?.message == "the environments differ in cpu.model")
  }

  @Test
  func `the differences contain each allowed environment and no excluded one`() throws {
    func session(_ id: String, on cpu: String, hour: Int64) -> Run {
      TestRuns.run(
        ["wall": TestRuns.spread(100, by: 0.01, count: 7)], id: id,
        environment: [.cpuModel: cpu], hour: hour)
    }
    // The newest sessions are from other machines.
    let mixed =
      sessions(five, environment: [.cpuModel: "X"])
      + [("y", "Y"), ("z", "Z"), ("zz", "Z")].enumerated().map { index, other in
        session(other.0, on: other.1, hour: 200 + Int64(index))
      }
    let new = session("new", on: "X", hour: 300)
    let strict = try RunComparer().compare(new, sessions: mixed)
    #expect(strict.base.run == "s4" && strict.sessions == 5)
    #expect(strict.environmentDifferences.isEmpty)
    let allowed = try RunComparer(allowsDifferentEnvironments: true).compare(new, sessions: mixed)
    #expect(allowed.base.run == "zz" && allowed.sessions == 8)
    #expect(allowed.environmentDifferences.map(\.base) == ["Y", "Z"])
    #expect(allowed.environmentDifferences.allSatisfy { $0.key == "cpu.model" && $0.voids })
  }

  @Test
  func `sessions within one hour raise a warning`() throws {
    let comparison = try compare(100, sessions(five, hoursApart: 0))
    #expect(comparison.warnings.map(\.code) == ["baseline.sessions_close"])
  }

  @Test
  func `the spread of sessions of one hour counts threefold for a change`() throws {
    // The spread reaches 7.9 % from the mean of 100.2: 3.747 * 1.924 * sqrt(1.2), with Student's 98 %.
    for (value, verdict) in [
      (111.0, ComparisonVerdict.regressed), (90, .improved), (130, .regressed), (70, .improved),
    ] {
      #expect(try compare(value, sessions(five)).verdict == verdict)
      let close = try compare(value, sessions(five, hoursApart: 0))
      let isFar = abs(value - 100) > 20
      #expect(close.verdict == (isFar ? verdict : .inconclusive))
      #expect(
        close.metrics.first?.note
          == (isFar
            ? ""
            : "beyond the spread of 5 sessions, but not beyond three times the spread, as they were "
              + "measured within an hour"))
    }
  }

  @Test
  func `a missing gating metric is inconclusive and an empty baseline an error`() throws {
    let gate = RunComparer(policy: Scenario.GatePolicy(metrics: ["wall": nil, "rss.peak": nil]))
    let comparison = try gate.compare(
      TestRuns.run(["wall": five]), sessions: sessions(five))
    #expect(comparison.verdict == .inconclusive)
    #expect(comparison.warnings.map(\.code) == ["comparison.metric_missing"])
    #expect(throws: StatisticsError.noSessions) {
      try gate.compare(TestRuns.run(["wall": five]), sessions: [])
    }
  }
}
