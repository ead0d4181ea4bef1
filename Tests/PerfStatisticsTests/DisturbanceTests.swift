import PerfModel
import PerfStatistics
import Testing

@Suite struct `Disturbed launches` {
  private func run(_ metrics: [String: [Double]]) -> Run {
    TestRuns.run(metrics.merging(["wall": [100, 100, 100, 100]]) { $1 })
  }

  @Test
  func `disturbances of at least a quarter of the launches are reported with the largest share`() {
    let warnings = Disturbance.warnings(of: run(["steal": [0, 0, 7, 1]]))
    #expect(warnings.map(\.code) == ["machine.steal"])
    #expect(
      warnings.first?.message
        == "the machine was disturbed: in 1 of 4 launches, the host gave CPU time to other machines for at least 2% of the time, "
        + "up to 7% (all CPUs together)")
  }

  @Test func `disturbances below their threshold are not reported`() {
    #expect(Disturbance.warnings(of: run(["steal": [1, 1, 1, 1.9]])).isEmpty)
    #expect(Disturbance.warnings(of: run(["run_delay": [9, 9, 9, 9]])).isEmpty)
    #expect(Disturbance.warnings(of: run([:])).isEmpty)
  }

  @Test func `a short wait for memory is reported, as pages that are read again are not counted`() {
    // 4 of 160 ms are 2.5 %, and 0.9 of 100 ms are 0.9 %.
    let window: [Double] = [160, 160, 160, 100]
    let short = run(["psi.memory": [4, 4, 4, 4], "psi.window": window])
    #expect(Disturbance.warnings(of: short).map(\.code) == ["machine.memory_pressure"])
    let shorter = run(["psi.memory": [0.9, 0.9, 0.9, 0.9], "psi.window": window])
    #expect(Disturbance.warnings(of: shorter).isEmpty)
  }

  @Test func `disturbances are relative to the time of counting, not to the wall time`() {
    // 9 of 500 counted ms are 1.8 %, and 250 are 50 %; relative to the wall time of 100 ms they
    // would be 250 %.
    let counted: [Double] = [500, 500, 500, 500]
    #expect(
      Disturbance.warnings(of: run(["steal": [9, 9, 9, 9], "steal.window": counted])).isEmpty)
    let delays: [String: [Double]] = [
      "frame.run_delay": [250, 0, 0, 0], "run_delay.window": counted,
    ]
    #expect(Disturbance.warnings(of: run(delays)).first?.message.hasSuffix("up to 50%") == true)
    let stalls: [String: [Double]] = [
      "psi.memory": [250, 0, 0, 0], "psi.window": counted,
    ]
    #expect(Disturbance.warnings(of: run(stalls)).first?.message.hasSuffix("up to 50%") == true)
    // Two CPUs that were taken all the time, and a launch shorter than a tick.
    let steal: [String: [Double]] = [
      "steal": [1000, 0, 0, 0], "steal.window": [500, 0, 0, 0],
    ]
    #expect(
      Disturbance.warnings(of: run(steal)).first?.message
        == "the machine was disturbed: in 1 of 4 launches, the host gave CPU time to other machines for at least 2% of the time, "
        + "up to 200% (all CPUs together)")
  }

  @Test func `disturbances are judged by the frame thread if there are frames`() {
    let waiting: [Double] = [50, 50, 50, 50]
    #expect(
      Disturbance.warnings(of: run(["run_delay": waiting])).map(\.code) == ["machine.run_delay"])
    #expect(
      Disturbance.warnings(of: run(["run_delay": waiting, "frame.run_delay": [0, 0, 0, 0]])).isEmpty
    )
  }

  @Test func `the pressure on the machine's CPUs stands in for unknown delays of the launches`() {
    // Two CPUs of which one was wanted by several threads half of the time: 25 % on average.
    let pressure: [String: [Double]] = [
      "psi.cpu": [30, 30, 0, 0], "psi.window": [120, 120, 120, 120],
    ]
    #expect(
      Disturbance.warnings(of: run(pressure)).map(\.message) == [
        "the machine was disturbed: in 2 of 4 launches, threads were ready but had no CPU for at "
          + "least 10% of the time, up to 25% (mean of the machine's CPUs)"
      ])
    // Launches whose own delay is known are judged by it, whatever the other programs do.
    let known = pressure.merging(["run_delay": [0, 0, 0, 0]]) { $1 }
    #expect(Disturbance.warnings(of: run(known)).isEmpty)
    let mixed = pressure.merging(["run_delay": [5]]) { $1 }
    #expect(
      Disturbance.warnings(of: run(mixed)).first?.message.contains("in 1 of 4 launches") == true)
  }

  @Test func `threads that only wait for each other are no disturbance of the machine`() {
    // Four threads of 50 ms on two CPUs: each waits for 50 of 100 ms, and all use 200 ms.
    func each(_ value: Double) -> [Double] { Array(repeating: value, count: 4) }
    let waiting = ["run_delay": each(200), "cpu.total": each(200), "steal.window": each(100)]
    func codes(_ more: [String: [Double]]) -> [String] {
      Disturbance.warnings(of: run(waiting.merging(more) { $1 })).map(\.code)
    }
    #expect(codes(["machine.cpu": each(209)]).isEmpty)
    #expect(codes(["machine.cpu": each(210)]) == ["machine.run_delay"])
    // The sum counts, because the ticks are coarse: 0, 20, 0 and 20 ms of 400 ms are a tenth.
    #expect(codes(["machine.cpu": [200, 220, 200, 220]]) == ["machine.run_delay"])
    #expect(codes(["machine.cpu": [190, 220, 200, 220]]).isEmpty)
    // Launches that waited count alone: other programs used 20 of 100 ms in two of four.
    let two: [String: [Double]] = [
      "run_delay": [200, 200, 0, 0], "machine.cpu": [220, 220, 200, 200],
    ]
    #expect(codes(two) == ["machine.run_delay"])
    // Without the machine's times, the cause is unknown.
    #expect(codes([:]) == ["machine.run_delay"])
  }

  // MARK: - Limits

  /// A run of eight launches of 100 ns, which waited for a CPU for some of them.
  private func limited(
    wall: Double = 100, waiting: Double, to text: (String, Budget.Comparison, Quantity),
    _ more: [String: [Double]] = [:]
  ) -> BudgetResult {
    var metrics = more.merging(["wall": Array(repeating: wall, count: 8)]) { $1 }
    metrics["run_delay"] = Array(repeating: waiting, count: 8)
    let budget = Budget(metric: text.0, comparison: text.1, limit: text.2)
    return BudgetEvaluator.evaluate(TestRuns.run(metrics, budgets: [budget]))[0]
  }

  private func time(_ nanoseconds: Double) -> (String, Budget.Comparison, Quantity) {
    ("wall", .atMost, Quantity(nanoseconds, .nanoseconds))
  }

  @Test func `a budget of a time is unknown if only the waiting for a CPU breaks it`() {
    // 100 ns with 30 ns of waiting are 70 ns, or 35 ns without another program on the same core.
    let result = limited(waiting: 30, to: time(80))
    #expect(result.verdict == .unknown)
    #expect(result.value == 100)
    #expect(
      result.note.hasPrefix("the machine was disturbed: in 8 of 8 launches"), "\(result.note)")
    // A value at the limit is within it.
    #expect(limited(waiting: 30, to: time(35)).verdict == .unknown)
    #expect(limited(waiting: 30, to: time(34)).verdict == .broken)
    #expect(limited(waiting: 30, to: time(100)).verdict == .held)
    // 9 % is no disturbance.
    #expect(limited(waiting: 9, to: time(95)).verdict == .broken)
    // A launch may have waited in several threads at once.
    #expect(limited(waiting: 300, to: time(1)).verdict == .unknown)
  }

  @Test func `a budget that a command breaks beside busy programs is unknown`() {
    // A shell loop that takes 32.3 ms alone took 105.6 to 136.7 ms beside four busy loops on two
    // CPUs; its limit was 47.917 ms. Five threads on two CPUs wait for at least half of the time.
    let budget = Budget(
      metric: "wall", comparison: .atMost, limit: Quantity(47.917, .milliseconds))
    func verdict(_ more: [String: [Double]]) -> BudgetVerdict {
      let milliseconds = [136.7, 122.9, 117.2, 136.3, 105.6, 128.0]
      let metrics = more.merging(["wall": milliseconds]) { $1 }.mapValues { $0.map { $0 * 1e6 } }
      let run = TestRuns.run(metrics, budgets: [budget], environment: [.cpuCount: "2"])
      return BudgetEvaluator.evaluate(run)[0].verdict
    }
    func each(_ value: Double) -> [Double] { Array(repeating: value, count: 6) }
    #expect(verdict([:]) == .broken)
    #expect(verdict(["run_delay": each(60)]) == .unknown)
    // Two processes, each with a part of the CPU time.
    let busy = ["psi.cpu": each(150), "psi.window": each(150)]
    #expect(verdict(busy) == .unknown)
    #expect(verdict(busy.merging(["cpu.total": each(64)]) { $1 }) == .unknown)
    // 200 ms of CPU time take 100 ms on two idle CPUs, and at least 50 ms without programs on the
    // same core.
    #expect(verdict(busy.merging(["cpu.total": each(200)]) { $1 }) == .broken)
    // 191 ms are just within the limit.
    #expect(verdict(busy.merging(["cpu.total": each(191)]) { $1 }) == .unknown)
  }

  @Test func `only the CPU time breaks a budget of the wall time if memory was short`() {
    // Reading a file that is greater than the memory took 274.7 ms, and 75 ms while it was in memory. The
    // kernel counted 13.4 ms of waiting for memory; most of the time went to reading the file again.
    func verdict(cpu: Double, _ limit: Double, waiting: Double = 13.4) -> BudgetVerdict {
      let milliseconds = ["wall": 274.7, "cpu.total": cpu, "psi.memory": waiting, "run_delay": 0]
      let budget = Budget(
        metric: "wall", comparison: .atMost, limit: Quantity(limit, .milliseconds))
      let run = TestRuns.run(
        milliseconds.mapValues { Array(repeating: $0 * 1e6, count: 6) }, budgets: [budget],
        environment: [.cpuCount: "2"])
      return BudgetEvaluator.evaluate(run)[0].verdict
    }
    #expect(verdict(cpu: 77, 100) == .unknown)
    // 77 ms spread over two CPUs are 38.5 ms, or 19.25 ms without other programs on the same cores.
    #expect(verdict(cpu: 77, 19.3) == .unknown)
    #expect(verdict(cpu: 77, 19.2) == .broken)
    // 1 % is no shortage.
    #expect(verdict(cpu: 77, 100, waiting: 2.7) == .broken)
  }

  @Test func `hitches and frame rates of a disturbed machine break no budget`() {
    let hitches = [
      "frame.hitch_time_ratio": Array(repeating: 20.0, count: 8),
      "frame.rate": Array(repeating: 30.0, count: 8),
      "alloc.count": Array(repeating: 7.0, count: 8),
    ]
    let limits: [(String, Budget.Comparison, Quantity)] = [
      ("frame.hitch_time_ratio", .atMost, Quantity(5, .millisecondsPerSecond)),
      ("frame.rate", .atLeast, Quantity(60, .framesPerSecond)),
    ]
    for limit in limits {
      #expect(limited(waiting: 0, to: limit, hitches).verdict == .broken)
      #expect(limited(waiting: 30, to: limit, hitches).verdict == .unknown)
    }
    // Exact counts do not depend on the machine.
    let count = ("alloc.count", Budget.Comparison.atMost, Quantity(6, .count))
    #expect(limited(waiting: 30, to: count, hitches).verdict == .broken)
  }

  @Test func `a regression against a baseline is inconclusive if the waiting may explain it`()
    throws
  {
    let sessions = (0..<6).map { hour in
      TestRuns.run(["wall": TestRuns.spread(100, by: 0.02, count: 8)], id: "b\(hour)", hour: hour)
    }
    func verdict(wall: Double, waiting: Double) throws -> ComparisonVerdict {
      let metrics = [
        "wall": TestRuns.spread(wall, by: 0.02, count: 8),
        "run_delay": Array(repeating: waiting, count: 8),
      ]
      let comparison = try RunComparer(
        policy: Scenario.GatePolicy(margin: .init(relative: 0.02))
      ).compare(TestRuns.run(metrics, hour: 7), sessions: sessions)
      return try #require(comparison.metrics.first { $0.definition.name == "wall" }).verdict
    }
    #expect(try verdict(wall: 150, waiting: 0) == .regressed)
    // 150 ns less 60 ns of waiting are below 100 ns.
    #expect(try verdict(wall: 150, waiting: 60) == .inconclusive)
    // Half of 350 ns less 60 ns is still above it.
    #expect(try verdict(wall: 350, waiting: 60) == .regressed)
    #expect(try verdict(wall: 100, waiting: 60) == .equivalent)
  }
}
