import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import PerfHub

/// The selection of runs for lists and pulls, and their removal.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct HubSelectionTests {
  private let test: TestHub

  init() throws {
    test = try TestHub()
    try test.save("ra1", minute: 0, label: "nightly")
    try test.save("ra2", variant: "naive", minute: 1)
    try test.save("rab3", scenario: "cold-start", minute: 2, label: "nightly")
    try test.save("rab4", scenario: "cold-start", minute: 3, samples: 0)
    try test.store.saveBaseline("main", runs: ["ra1", "rab4"], saved: SampleRuns.firstStart)
    _ = try test.hub().push(
      ["ra1", "ra2", "rab3", "rab4"], baselines: ["main"], of: test.store)
  }

  private func listed(_ filter: HubFilter) throws -> [String] {
    try test.hub().runs(filter).map(\.id)
  }

  @Test(arguments: [
    ("latest", ["rab4"]), ("latest~2", ["ra2"]), ("run:rab3", ["rab3"]), ("rab3", ["rab3"]),
    ("nightly", ["rab3", "ra1"]), ("label:nightly", ["rab3", "ra1"]),
    ("main", ["rab4", "ra1"]), ("baseline:main", ["rab4", "ra1"]),
    ("scroll-1000", ["ra2", "ra1"]), ("variant:cold-start", ["rab4", "rab3"]),
    ("scroll-1000:naive", ["ra2"]), ("commit:4F0C2D9", ["rab4", "rab3", "ra2", "ra1"]),
    ("4f0c2d9e8b", ["rab4", "rab3", "ra2", "ra1"]),
  ])
  func `a reference selects the runs that it means in a run store`(
    reference: String, ids: [String]
  ) throws { #expect(try listed(.named(reference)) == ids) }

  @Test func `several references select the runs of each`() throws {
    #expect(try listed(.named("ra2", "cold-start")) == ["rab4", "rab3", "ra2"])
  }

  @Test(arguments: ["none", "scroll", "scroll-1000:", "run:rxx'", "commit:0000000", "ra"])
  func `a reference without a run is an error that repeats it`(reference: String) throws {
    let error = try #require(throws: HubError.self) { try listed(.named(reference)) }
    #expect("\(error)".contains("'\(reference)'"), "\(error)")
  }

  @Test func `all criteria of a filter must match`() throws {
    var filter = HubFilter()
    filter.scenario = "cold-start"
    #expect(try listed(filter) == ["rab4", "rab3"])
    filter.label = "nightly"
    #expect(try listed(filter) == ["rab3"])
    filter.host = "elsewhere"
    #expect(try listed(filter).isEmpty)
    filter = HubFilter()
    filter.since = Timestamp(milliseconds: SampleRuns.firstStart.milliseconds + 60_000)
    filter.limit = 2
    #expect(try listed(filter) == ["rab4", "rab3"])
    filter.host = "sample"
    filter.variant = "naive"
    #expect(try listed(filter) == ["ra2"])
  }

  @Test func `the criteria and the limit apply to references, too`() throws {
    var filter = HubFilter.named("nightly")
    filter.scenario = "cold-start"
    #expect(try listed(filter) == ["rab3"])
    filter = .named("ra1", "scroll-1000", "rab3")
    filter.limit = 2
    #expect(try listed(filter) == ["rab3", "ra2"])
  }

  @Test(arguments: [
    "latest~2", "rab3", "nightly", "label:nightly", "baseline:main", "scroll-1000:naive",
    "variant:cold-start", "commit:4F0C2D9", TestHub.comparison,
  ])
  func `an index serves each kind of reference`(reference: String) throws {
    let condition = try HubCondition(.named(reference))
    // The server reads a small table as a whole, unless it may not.
    let hub = try test.hub(options: "&options=-c%20enable_seqscan%3Doff")
    let plan = try hub.connection.run("EXPLAIN " + condition.query("id"), condition.values).texts
    #expect(!plan.isEmpty)
    #expect(!plan.contains { $0.contains("Seq Scan") }, "\(plan)")
  }

  @Test func `a list has the facts of each run`() throws {
    let run = try #require(test.hub().runs(.named("run:rab3")).first)
    #expect(run.subject == "cold-start:optimised" && run.label == "nightly")
    #expect(run.host == "sample" && run.commit == SampleRuns.commit && run.isDirty == false)
    // Two measured launches and a warm-up.
    #expect(run.launches == 2 && run.failed == 0)
    let bulk = try #require(run.bulkBytes)
    #expect(run.recordBytes > 100 && bulk > run.recordBytes)
    #expect(try test.hub().runs(.named("run:rab4")).first?.bulkBytes == nil)
  }

  // MARK: - Removal

  @Test func `the latest runs of each scenario, variant and machine are kept`() throws {
    try test.save("rb5", minute: 5)
    _ = try test.hub().push(["rb5"], of: test.store)
    let pruning = try test.hub().prune(HubRetention(runs: 1))
    // ra1 is older than rb5 but in the baseline; rab3 is older than rab4.
    #expect(pruning.removed == ["rab3"] && pruning.thinned == [] && pruning.bytes > 0)
    #expect(try listed(HubFilter()) == ["rb5", "rab4", "ra2", "ra1"])
  }

  @Test func `runs that began later than a moment are kept`() throws {
    let moment = SampleRuns.firstStart.milliseconds + 120_000
    let pruning = try test.hub().prune(
      HubRetention(runs: 0, profiles: 0, since: Timestamp(milliseconds: moment)))
    #expect(pruning.removed == ["ra2"] && pruning.thinned == ["ra1"])
  }

  @Test func `profiles are removed without their runs, and can be pushed again`() throws {
    let pruning = try test.hub().prune(HubRetention(profiles: 0))
    #expect(pruning.thinned == ["ra1", "ra2", "rab3"] && pruning.removed == [])
    #expect(try test.hub().runs().allSatisfy { $0.bulkBytes == nil })
    let target = try test.target()
    #expect(try test.hub().pull(HubFilter(), includesBulk: true, into: target).runs == 4)
    #expect(try test.hub().push(["ra1"], of: test.store).completed == 1)
  }

  @Test func `runs of decided comparisons are kept, and comparisons lose all runs or none`() throws
  {
    func compare(_ id: String, _ base: String, _ candidate: String) throws {
      try test.store.save(
        StoredComparison(
          id: id, subject: id, started: SampleRuns.firstStart,
          design: ComparisonDesign(
            seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy(),
            launchesPerPair: 4)))
      try test.store.append(.init(base: base, candidate: candidate), toComparison: id)
    }
    for (place, id) in ["r1", "r2", "r5", "r6", "r7", "r8"].enumerated() {
      try test.save(id, scenario: "s\(place / 2)", minute: 10 + place, samples: 0)
    }
    try compare(TestHub.comparison, "r1", "r2")
    try test.decide("So.", in: test.store)
    try compare("cr2", "r5", "r6")
    try compare("cr3", "r7", "r8")
    _ = try test.hub().push(["r1", "r2", "r5", "r6", "r7", "r8"], of: test.store)
    // One run of each scenario is kept, and with r6 and r8 also r5 and r7.
    #expect(try test.hub().prune(HubRetention(runs: 1)).removed == ["rab3"])
    // The decided comparison keeps r1 and r2, and the baseline keeps ra1 and rab4.
    #expect(
      try test.hub().prune(HubRetention(runs: 0)).removed == ["r5", "r6", "r7", "r8", "ra2"])
    #expect(try test.sql("SELECT id FROM perfkit.comparisons") == TestHub.comparison)
  }
}
