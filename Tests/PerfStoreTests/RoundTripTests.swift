import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct RoundTripTests {
  private func roundTrip(_ run: Run) throws -> Run {
    let store = try RunStore.inMemory()
    try store.save(run)
    return try store.run(id: run.id)
  }

  @Test(arguments: ["naive", "optimised"])
  func `a saved run is read unchanged`(variant: String) throws {
    let run = SampleRuns.run(
      seed: 7, variant: variant, launches: 4, warmup: 2, samples: 2000, fling: 1000,
      label: "before the change",
      statuses: [
        2: .crashed(signal: 11), 3: .failed("the covers are gone"),
      ])
    expectEqual(try roundTrip(run), run)
  }

  @Test func `every launch status is read unchanged`() throws {
    let run = SampleRuns.run(
      launches: 6, warmup: 0, samples: 0, fling: 100,
      statuses: [
        0: .crashed(signal: 6), 1: .timedOut, 2: .jetsam, 3: .failed(""), 4: .interrupted,
      ])
    expectEqual(try roundTrip(run), run)
  }

  @Test func `an empty run is read unchanged`() throws {
    let run = Run(
      id: "empty", scenario: "s", variant: "v", label: nil, started: Timestamp(milliseconds: -5),
      seed: .max, parameters: [:], command: [], environment: Environment(facts: [:]),
      definitions: [], launches: [], budgets: [], profile: nil, warnings: [],
      wasInterrupted: true)
    expectEqual(try roundTrip(run), run)
  }

  /// Work whose second function has `launches` counts; all functions should have two.
  private static func work(launches: Int = 2) -> WorkProfile {
    WorkProfile(
      launches: [0, 1],
      functions: [
        WorkProfile.Function(
          name: "sort(_:)", key: "sort(_:)", module: "Books", instructions: [.max, 0],
          calls: [3, 4], dataMisses: [7, 0], branchMisses: [0, .max]),
        WorkProfile.Function(
          name: "[code without a file]", key: "[code without a file]", module: nil,
          instructions: Array(repeating: 1, count: launches), calls: [0, 0]),
      ])
  }

  @Test func `counted work is read unchanged, exported, and removed with its run`() throws {
    let run = SampleRuns.run(launches: 2, samples: 0, fling: 0).with(work: Self.work())
    expectEqual(try roundTrip(run), run)
    let folder = try TemporaryFolder()
    let store = try RunStore(path: folder("a.sqlite"))
    try store.begin(run.with(launches: []))
    try store.finish(run)
    _ = try store.export(to: folder("b.sqlite"))
    let copy = try RunStore(path: folder("b.sqlite"))
    expectEqual(try copy.run(id: run.id), run)
    try copy.remove(run: run.id)
    try copy.save(run)
    #expect(try copy.check().isEmpty)
  }

  @Test func `counted work of an older version has no misses`() throws {
    let text =
      #"{"functions":[{"calls":[1],"instructions":[2],"key":"f","name":"f"}],"launches":[0]}"#
    let work: WorkProfile = try JSONText.decode(text)
    let function = WorkProfile.Function(
      name: "f", key: "f", module: nil, instructions: [2], calls: [1])
    #expect(work == WorkProfile(launches: [0], functions: [function]))
    #expect(try JSONText.encode(work) == text)
  }

  @Test func `counted work that lacks a launch is reported as damage`() throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.run(launches: 2, samples: 0, fling: 0)
    try store.save(run.with(work: Self.work(launches: 1)))
    #expect(
      try store.check() == ["run \(run.id): a function of the counted work lacks launches"])
  }

  @Test func `parameters keep their types`() throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0).with(parameters: [
      "int": .int(2), "whole": .double(2), "tenth": .double(0.1), "text": .string("2"),
      "empty": .string(""), "yes": .bool(true), "no": .bool(false), "least": .int(.min),
    ])
    expectEqual(try roundTrip(run), run)
  }

  @Test func `stored numbers keep every bit`() throws {
    let extremes: [String: Double] = [
      "largest": .greatestFiniteMagnitude, "smallest": .leastNonzeroMagnitude, "third": 1.0 / 3,
      "infinite": .infinity, "negative": -12.5, "zero": 0,
    ]
    let launch = Launch(
      index: 3, isWarmup: false, status: .completed, offset: .max, metrics: extremes,
      series: [
        TimeSeries(name: "x", dimension: .time, times: [0, .max, 1], values: [-0.0, .nan, 1e300])
      ])
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0).with(
      seed: 0x8000_0000_0000_0001, launches: [launch])
    let loaded = try roundTrip(run)
    #expect(loaded.seed == run.seed)
    #expect(loaded.launches[0].offset == .max)
    #expect(loaded.launches[0].metrics == extremes)
    let bits = loaded.launches[0].series[0].values.map(\.bitPattern)
    #expect(bits == launch.series[0].values.map(\.bitPattern))
    #expect(loaded.launches[0].series[0].times == [0, .max, 1])
  }

  @Test func `a NaN metric is read as NaN`() throws {
    let launch = Launch(
      index: 0, isWarmup: false, status: .completed, offset: 0, metrics: ["odd": .nan, "even": 2])
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0).with(launches: [launch])
    let metrics = try roundTrip(run).launches[0].metrics
    #expect(metrics["odd"]?.isNaN == true)
    #expect(metrics["even"] == 2)
  }

  @Test(arguments: [1, 63, 64, 65, 128, 200])
  func `any number of metrics, with and without definitions, is read unchanged`(
    count: Int
  ) throws {
    let base = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    // Launches differ in their metrics, and each has the metrics that have definitions.
    let launches = (0..<3).map { number in
      var metrics = base.launches[0].metrics
      for index in 0..<count { metrics["m\((index * 37 + number) % 400)"] = Double(index) }
      return Launch(
        index: number, isWarmup: false, status: .completed, offset: 0, metrics: metrics)
    }
    let run = base.with(launches: launches)
    #expect(try roundTrip(run).launches.map(\.metrics) == launches.map(\.metrics))
  }

  @Test func `every statistic, comparison and unit of a budget is read unchanged`() throws {
    let statistics: [Budget.Statistic] = [
      .min, .mean, .max, .percentile(0), .percentile(99.9), .percentile(100),
    ]
    let sides: [Budget.Comparison] = [.atMost, .atLeast, .equal]
    let budgets = Unit.all.enumerated().map { index, unit in
      Budget(
        metric: "m\(index)", statistic: statistics[index % statistics.count],
        comparison: sides[index % sides.count], limit: Quantity(Double(index) + 0.1, unit))
    }
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0).with(budgets: budgets)
    #expect(try roundTrip(run).budgets == budgets)
  }

  @Test func `two runs keep different definitions of one metric name`() throws {
    let store = try RunStore.inMemory()
    func definition(_ summary: String) -> MetricDefinition {
      MetricDefinition(
        name: "odd", dimension: .count, direction: .neutral, scale: .difference,
        isDeterministic: true, summary: summary)
    }
    for summary in ["first", "second"] {
      try store.save(
        SampleRuns.run(launches: 1, samples: 0, fling: 0, id: summary)
          .with(definitions: [definition(summary)]))
    }
    #expect(try store.run(id: "first").definitions == [definition("first")])
    #expect(try store.run(id: "second").definitions == [definition("second")])
  }

  @Test func `samples of memory are read unchanged`() throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.addingMemory(to: SampleRuns.run(launches: 2, samples: 200, fling: 500))
    try store.save(run)
    expectEqual(try store.run(id: run.id), run)
  }

  @Test func `loading one metric omits only the values of other metrics`() throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.run(launches: 2, samples: 0, fling: 0)
    try store.save(run)
    let whole = try store.run(id: run.id, including: [])
    let metric = try #require(run.launches[0].metrics.keys.min())
    #expect(run.launches[0].metrics.count > 1)
    let one = try store.run(id: run.id, including: [], metric: metric)
    let expected = run.launches.map { $0.metrics.filter { $0.key == metric } }
    #expect(one.launches.map(\.metrics) == expected)
    expectEqual(one.with(launches: whole.launches), whole)
    let none = try store.run(id: run.id, including: [], metric: "unheard of")
    #expect(none.launches.map(\.metrics) == run.launches.map { _ in [:] })
  }

  /// "é" as one letter or two, which are equal in Swift and different in SQLite.
  @Test func `a metric is loaded by its name in any Unicode normal form`() throws {
    let store = try RunStore.inMemory()
    let launch = Launch(
      index: 0, isWarmup: false, status: .completed, offset: 0,
      metrics: ["caf\u{E9}s": 3, "wall": 5])
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0).with(launches: [launch])
    try store.save(run)
    for name in ["caf\u{E9}s", "cafe\u{301}s"] {
      let loaded = try store.run(id: run.id, including: [], metric: name)
      #expect(loaded.launches.map(\.metrics) == [["caf\u{E9}s": 3]])
    }
  }

  /// The ohm sign is not used in any normal form: both forms have an omega instead.
  @Test func `a metric is loaded by its name outside of all normal forms`() throws {
    let store = try RunStore.inMemory()
    let launch = Launch(
      index: 0, isWarmup: false, status: .completed, offset: 0,
      metrics: ["\u{2126}": 3, "wall": 5])
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0).with(launches: [launch])
    try store.save(run)
    for name in ["\u{2126}", "\u{3A9}"] {
      let loaded = try store.run(id: run.id, including: [], metric: name)
      #expect(loaded.launches.map(\.metrics) == [["\u{2126}": 3]])
    }
  }

  @Test func `loading several runs equals loading each of them`() throws {
    let store = try RunStore.inMemory()
    let light = SampleRuns.run(launches: 2, samples: 0, fling: 0, id: "light1")
    try store.save(light)
    // Two definitions of one name, and an unfinished run with unused definitions.
    let changed = light.definitions.map {
      MetricDefinition(
        name: $0.name, dimension: $0.dimension, direction: $0.direction, scale: $0.scale,
        isDeterministic: $0.isDeterministic, summary: "Changed")
    }
    try store.save(light.with(id: "light2", definitions: changed))
    let begun = light.with(
      id: "light3", definitions: MetricCatalog.standardDefinitions, launches: [])
    try store.begin(begun)
    try store.append(light.launches[0], to: begun.id)
    let ids = ["light3", "light1", "light2", "light1"]
    for metric in [nil, light.definitions[0].name] {
      let runs = try store.runs(ids: ids, including: [], metric: metric)
      #expect(runs.map(\.id) == ids)
      for run in runs { expectEqual(run, try store.run(id: run.id, including: [], metric: metric)) }
    }
    #expect(try store.runs(ids: ["light2"])[0].definitions == changed)
    #expect(throws: StoreError.unknownRun(id: "none")) { try store.runs(ids: ["light1", "none"]) }
  }

  @Test func `the header of a run contains the commit of its environment`() throws {
    let store = try RunStore.inMemory()
    let environments: [(String, [String: String])] = [
      ("dirty1", ["commit": "abc", "dirty": "true"]), ("none1", [:]),
    ]
    for (id, facts) in environments {
      try store.save(
        SampleRuns.run(launches: 1, warmup: 0, samples: 0, fling: 0, id: id)
          .with(environment: Environment(facts: facts)))
    }
    let dirty = try store.header(id: "dirty1")
    #expect(dirty.commit == "abc" && dirty.isDirty == true && dirty.completed == 1)
    let none = try store.header(id: "none1")
    #expect(none.commit == nil && none.isDirty == nil)
    #expect(throws: StoreError.unknownRun(id: "dirty")) { try store.header(id: "dirty") }
  }

  @Test func `parts of a run that are not requested are empty`() throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.run(launches: 2, samples: 200, fling: 500)
    try store.save(run)
    let light = try store.run(id: run.id, including: [])
    #expect(light.launches.map(\.metrics) == run.launches.map(\.metrics))
    #expect(light.launches.allSatisfy { $0.series.isEmpty && $0.frames.isEmpty })
    #expect(light.profile == nil)
    let profiled = try store.run(id: run.id, including: .profile)
    #expect(profiled.profile?.counts == run.profile?.counts)
    #expect(profiled.profile?.timeline.isEmpty == true)
  }

  @Test func `an audit keeps infinite values`() throws {
    var audit = ProfileAudit()
    audit.rateReached = .infinity
    audit.failures = ["no unwind information": 3]
    #expect(try JSONText.decode(try JSONText.encode(audit)) == audit)
  }
}
