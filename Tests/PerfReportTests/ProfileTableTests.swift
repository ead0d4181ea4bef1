import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

/// The tables of a run's functions and threads.
struct ProfileTableTests {
  @Test func `self time excludes callees and recursion counts once in the total`() throws {
    let hot = HotFunctions(SmallTree.sample)
    let decode = try #require(hot.functions.first { $0.function.name == "decode" })
    // Self time is 3 + 1 ms, total time 3 + 4 + 1 ms. Waiting is not CPU time.
    #expect(decode.own.time == 4e6)
    #expect(decode.total.time == 8e6)
    #expect(hot.total == 10e6)
    #expect(hot.samples == 10)
    #expect(hot.functions.map(\.function.name) == ["decode", "copy", "blend", "main"])
  }

  private static func hotTable(_ profile: Profile, launches: Int) -> Table? {
    let run = SampleRuns.run(launches: launches, samples: 0, fling: 0)
    return RunDocument(
      run: SampleRuns.replacingProfile(of: run, by: profile), metrics: [], budgets: [],
      verdict: .held
    ).functionTable
  }

  @Test(
    arguments: [
      (nil, "[no unwind information]", true), (.perf, "[no unwind information]", false),
      // A thread of a library has no caller in the program.
      (nil, "start_thread", false),
    ] as [(SamplingEngine?, String, Bool)])
  func `the table of waits states that an incomplete stack has no caller`(
    engine: SamplingEngine?, outermost: String, isStated: Bool
  ) throws {
    let names = [outermost, "vfork", "[vfork]"]
    var audit = ProfileAudit()
    audit.engine = engine
    let profile = Profile(
      functions: names.map { .init(name: $0, key: $0, module: "libc.so.6", file: nil) },
      nodes: names.indices.map { .init(parent: $0 - 1, function: $0, line: 0, isInlined: false) },
      threads: [.init(name: "main", cpu: 0)], phases: [""],
      counts: [SmallTree.count(2, 200, state: .waiting)], timeline: [:], audit: audit)
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let document = RunDocument(
      run: SampleRuns.replacingProfile(of: run, by: profile), metrics: [], budgets: [],
      verdict: .held)
    let table = try #require(document.waitTable)
    #expect(table.rows.map { $0[2].text } == ["[vfork]"])
    #expect(table.caption.contains("--engine perf") == isStated)
  }

  @Test func `shares in few launches have intervals from the samples`() throws {
    let table = try #require(Self.hotTable(SmallTree.sample, launches: 1))
    #expect(table.columns.map(\.title).prefix(4) == ["self", "±", "total", "±"])
    #expect(table.caption.contains("Clopper-Pearson"))
    // SciPy 1.17, binomtest(k, 10).proportion_ci(method="exact"): half of the interval is 30.80
    // points for 4 of 10 samples, and 26.54 for 8 or 2.
    #expect(
      table.rows.map { $0.prefix(4).map(\.text) } == [
        ["40.0%", "30.8", "80.0%", "26.5"], ["40.0%", "30.8", "40.0%", "30.8"],
        ["20.0%", "26.5", "20.0%", "26.5"],
      ])
  }

  @Test func `shares in six launches have intervals from the launches`() throws {
    // In launch k of 6, decode takes 2 ms, its callee copy k ms, and blend the rest of 10 ms. The
    // 95 % interval of the median of six is from the smallest to the largest: (0.6 - 0.1) / 2.
    let counts = (1...6).flatMap { launch in
      [
        SmallTree.count(1, 2, launch: launch), SmallTree.count(2, Double(launch), launch: launch),
        SmallTree.count(3, 8 - Double(launch), launch: launch),
      ]
    }
    let table = try #require(Self.hotTable(SmallTree.profile(counts), launches: 6))
    #expect(table.caption.contains("of the median share per launch"))
    #expect(
      table.rows.map { $0.prefix(4).map(\.text) } == [
        ["45.0%", "25.0", "45.0%", "25.0"], ["35.0%", "25.0", "35.0%", "25.0"],
        ["20.0%", "0.0", "55.0%", "25.0"],
      ])
  }

  @Test func `a function in few launches has an interval from the samples`() throws {
    // The median share of a function in two of six launches is zero.
    let counts =
      (1...6).map { SmallTree.count(1, 9, launch: $0) }
      + [1, 2].map { SmallTree.count(3, 1, launch: $0) }
    let table = try #require(Self.hotTable(SmallTree.profile(counts), launches: 6))
    let rare = try #require(table.rows.last).map(\.text)
    #expect(try #require(Double(rare[1])) > 0, "\(rare)")
    #expect(table.caption.contains("for functions in fewer than half of the launches"))
  }

  @Test func `launches that failed before they ran do not count for a profile`() throws {
    // Six launches of 10 ms, and a launch that failed without a sample.
    let counts = (1...6).map { SmallTree.count(1, 10, launch: $0) }
    let run = SampleRuns.replacingProfile(
      of: SampleRuns.run(launches: 7, samples: 0, fling: 0, statuses: [7: .timedOut]),
      by: SmallTree.profile(counts))
    let document = RunDocument(run: run, metrics: [], budgets: [], verdict: .held)
    let row = try #require(document.functionTable?.rows.first).map(\.text)
    #expect(row.prefix(5) == ["100.0%", "0.0", "100.0%", "0.0", "10 ms"])
    let data = try #require(FlameGraph(run)).data
    #expect(CallTree(data, options: .init()).total.candidate == 10e6)
  }

  @Test func `the table of memory has allocations, peak and end by function`() throws {
    let profile = SmallTree.profile([
      SmallTree.count(2, 9, state: .allocated), SmallTree.count(2, 4, state: .livePeak),
      SmallTree.count(3, 1, state: .allocated), SmallTree.count(3, 1, state: .liveEnd),
      SmallTree.count(0, 0.001, state: .allocated), SmallTree.count(3, 7),
    ])
    let run = SampleRuns.replacingProfile(
      of: SampleRuns.run(launches: 2, warmup: 0, samples: 0), by: profile)
    let document = RunDocument(run: run, metrics: [], budgets: [], verdict: .held)
    let table = try #require(document.allocationTable)
    // A "millisecond" is a million bytes, over two launches; small shares are omitted.
    #expect(
      table.rows.map { $0.map(\.text) } == [
        ["90.0%", "4.5 MB", "2 MB", "-", "decode"], ["10.0%", "500 kB", "-", "500 kB", "blend"],
      ])
    #expect(table.caption.contains("Estimated from 10 recorded allocations"))
    let idle = SampleRuns.replacingProfile(of: run, by: SmallTree.profile([SmallTree.count(3, 7)]))
    #expect(
      RunDocument(run: idle, metrics: [], budgets: [], verdict: .held).allocationTable == nil)
  }

  @Test func `the table of threads begins with the most CPU time and sums up the rest`() throws {
    func document(_ cpu: [UInt64]) -> RunDocument {
      let profile = Profile(
        functions: [], nodes: [],
        threads: cpu.enumerated().map { Profile.Thread(name: "t\($0)", cpu: $1) }, phases: [],
        counts: [], timeline: [:], audit: ProfileAudit())
      let run = SampleRuns.run(launches: 2, warmup: 0, samples: 0)
      return RunDocument(
        run: SampleRuns.replacingProfile(of: run, by: profile), metrics: [], budgets: [],
        verdict: .held)
    }
    let table = try #require(document([0, 1_000_000, 3_000_000]).threadTable)
    #expect(
      table.rows.map { $0.map(\.text) } == [
        ["75.0%", "1.5 ms", "t2"], ["25.0%", "500 us", "t1"],
      ])
    #expect(document([0, 5]).threadTable == nil)
    // Eight threads are shown; the other two have 2 of 10 ms.
    let many = try #require(document(Array(repeating: 1_000_000, count: 10)).threadTable)
    #expect(many.rows.count == 9)
    #expect(many.rows.last?.map(\.text) == ["20.0%", "1 ms", "2 others"])
    let nine = try #require(document(Array(repeating: 1_000_000, count: 9)).threadTable)
    #expect(nine.rows.last?.last?.text == "1 other")
  }
}
