import Foundation
import GRDB
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct TransferTests {
  private let folder: TemporaryFolder
  private let store: RunStore
  private let file: String
  private let comparison = StoredComparison(
    id: "c1m7zm678x1", subject: "a against b", started: SampleRuns.firstStart,
    design: ComparisonDesign(
      seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy(), launchesPerPair: 4),
    isFinished: true)

  init() throws {
    folder = try TemporaryFolder()
    file = folder("export.sqlite")
    store = try RunStore(path: folder("from.sqlite"))
    for (number, id) in ["one1", "two2", "three3", "four4"].enumerated() {
      try store.save(
        SampleRuns.run(
          seed: UInt64(number), launches: 2, samples: 60, fling: 100,
          started: Timestamp(milliseconds: SampleRuns.firstStart.milliseconds + Int64(number)),
          id: id))
    }
    try store.save(comparison)
    try store.append(.init(base: "one1", candidate: "two2"), toComparison: comparison.id)
    _ = try store.append(decision("It is faster."))
  }

  private func decision(_ because: String) throws -> Decision {
    Decision(
      Comparison(
        id: comparison.id, base: .init(try store.run(id: "one1")),
        candidate: .init(try store.run(id: "two2")), alpha: 0.02, seed: 0, metrics: [],
        functions: [], environmentDifferences: [], warnings: [], verdict: .improved),
      sentence: "Improved.", outcome: .kept, hypothesis: "", change: "", because: because,
      decided: SampleRuns.firstStart)
  }

  private func target() throws -> RunStore { try RunStore(path: folder("to.sqlite")) }

  private func count(_ table: String, _ store: RunStore) throws -> Int {
    try store.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  @Test func `an import copies runs, comparisons and decisions`() throws {
    #expect(try store.export(to: file) == StoreTransfer(runs: 4, comparisons: 1, decisions: 1))
    #expect(!FileManager.default.fileExists(atPath: file + "-wal"))
    let target = try target()
    let came = try target.importContent(of: ImportSource(path: file))
    #expect(came == StoreTransfer(runs: 4, comparisons: 1, decisions: 1))
    for header in try store.headers() {
      expectEqual(try target.run(id: header.id), try store.run(id: header.id))
    }
    #expect(try target.comparisons() == store.comparisons())
    #expect(try target.decisions() == store.decisions())
    #expect(try target.check() == [])
  }

  @Test func `a second import of a store changes nothing`() throws {
    _ = try store.export(to: file)
    let target = try target()
    _ = try target.importContent(of: ImportSource(path: file))
    let tables = ["runs", "iterations", "nodes", "comparison_legs", "decisions", "profile_counts"]
    let before = try tables.map { try count($0, target) }
    #expect(try target.importContent(of: ImportSource(path: file)) == StoreTransfer(known: 6))
    #expect(try tables.map { try count($0, target) } == before)
    #expect(try store.importContent(of: ImportSource(path: file)).known == 6)
  }

  @Test func `an import adds the parts that known runs lack`() throws {
    let metrics = folder("metrics.sqlite")
    _ = try store.export(to: metrics, including: [])
    _ = try store.export(to: file)
    let target = try target()
    _ = try target.importContent(of: ImportSource(path: metrics))
    let came = try target.importContent(of: ImportSource(path: file))
    #expect(came == StoreTransfer(completed: 4, known: 2))
    for header in try store.headers() {
      expectEqual(try target.run(id: header.id), try store.run(id: header.id))
    }
    // Metrics alone take nothing away.
    #expect(try target.importContent(of: ImportSource(path: metrics)) == StoreTransfer(known: 6))
    #expect(try target.run(id: "one1").profile != nil)
    #expect(try target.check() == [])
  }

  @Test func `runs with bulky parts are found without reading the parts`() throws {
    let plain = SampleRuns.run(launches: 2, samples: 0, fling: 0, id: "plain")
    try store.save(
      Run(
        id: plain.id, scenario: plain.scenario, variant: plain.variant, label: nil,
        started: plain.started, seed: 1, parameters: [:], command: [],
        environment: plain.environment, definitions: plain.definitions,
        launches: plain.launches.map {
          Launch(
            index: $0.index, isWarmup: false, status: .completed, offset: 0, metrics: $0.metrics)
        }, budgets: [], profile: nil, warnings: [], wasInterrupted: false))
    try store.save(SampleRuns.run(launches: 2, samples: 0, fling: 100, id: "frames"))
    try store.database.write { try $0.execute(sql: "UPDATE profiles SET audit = 'damaged'") }
    #expect(throws: StoreError.self) { try store.run(id: "one1") }
    let ids = ["one1", "plain", "frames", "none"]
    #expect(try store.runsWithBulk(among: ids) == ["one1", "frames"])
  }

  @Test func `an export of selected runs omits incomplete comparisons and unrequested parts`()
    throws
  {
    let sent = try store.export(to: file, runs: ["two2", "three3"], including: [])
    #expect(sent == StoreTransfer(runs: 2))
    let copy = try RunStore(path: file, access: .reading)
    #expect(try copy.headers().map(\.id) == ["three3", "two2"])
    expectEqual(
      try copy.run(id: "two2"), try store.run(id: "two2", including: []))
    #expect(throws: StoreError.unknownRun(id: "none")) {
      try store.export(to: folder("other.sqlite"), runs: ["none"])
    }
    #expect(throws: StoreError.exists(path: file)) {
      try store.export(to: file)
    }
    // Neither failure leaves a partial file.
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.filter { $0.contains("part") || $0.contains("other") } == [])
  }

  @Test func `an export leaves out unfinished runs`() throws {
    try store.begin(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: "open5"))
    let sent = try store.export(to: file)
    #expect(sent.unfinished == ["open5"])
    #expect(sent.runs == 4)
  }

  @Test func `a comparison with runs of a killed process is transferred once they are interrupted`()
    throws
  {
    for (number, id) in ["open5", "open6"].enumerated() {
      let run = SampleRuns.run(
        seed: UInt64(number), launches: 2, samples: 0, fling: 0,
        started: Timestamp(milliseconds: SampleRuns.firstStart.milliseconds + 5), id: id)
      try store.begin(
        run.with(
          definitions: MetricCatalog.standardDefinitions, launches: [], profile: .some(nil)))
      for launch in run.launches { try store.append(launch, to: id) }
    }
    try store.append(.init(base: "open5", candidate: "open6"), toComparison: comparison.id)
    try store.append(.init(base: "three3", candidate: "four4"), toComparison: comparison.id)
    let before = try store.run(id: "open5")
    #expect(
      try store.export(to: folder("before.sqlite"))
        == StoreTransfer(runs: 4, unfinished: ["open5", "open6"]))

    try store.interruptRuns(of: store.comparison(id: comparison.id)) { _ in true }
    #expect(try store.header(id: "open5").state == .interrupted)
    #expect(try store.header(id: "one1").state == .finished)
    expectEqual(try store.run(id: "open5"), before)
    #expect(try store.export(to: file) == StoreTransfer(runs: 6, comparisons: 1, decisions: 1))
    let target = try target()
    let came = try target.importContent(of: ImportSource(path: file))
    #expect(came == StoreTransfer(runs: 6, comparisons: 1, decisions: 1))
    #expect(try target.comparisons() == store.comparisons())
    expectEqual(try target.run(id: "open6"), try store.run(id: "open6"))
  }

  @Test func `an import adds further sessions to a known comparison`() throws {
    _ = try store.export(to: file)
    let target = try target()
    _ = try target.importContent(of: ImportSource(path: file))
    try store.append(.init(base: "three3", candidate: "four4"), toComparison: comparison.id)
    _ = try store.export(to: folder("later.sqlite"))
    let came = try target.importContent(of: ImportSource(path: folder("later.sqlite")))
    #expect(came == StoreTransfer(comparisons: 1, known: 5))
    #expect(try target.comparison(id: comparison.id).legs.count == 2)
    // The earlier file has fewer sessions, and removes none.
    #expect(try target.importContent(of: ImportSource(path: file)).known == 6)
    #expect(try target.comparison(id: comparison.id).legs.count == 2)
  }

  @Test func `an import accepts a comparison that lost sessions`() throws {
    let later = StoredComparison.Leg(base: "three3", candidate: "four4")
    try store.append(later, toComparison: comparison.id)
    _ = try store.export(to: file)
    let target = try target()
    _ = try target.importContent(of: ImportSource(path: file))
    // A session lost in the target returns with its runs.
    try target.remove(run: "one1")
    #expect(try target.comparison(id: comparison.id).legs == [later])
    let came = try target.importContent(of: ImportSource(path: file))
    #expect(came == StoreTransfer(runs: 1, comparisons: 1, known: 4))
    #expect(try target.comparisons() == store.comparisons())
    // A session lost in the source is kept in the target.
    try store.remove(run: "one1")
    let lesser = folder("lesser.sqlite")
    #expect(try store.export(to: lesser) == StoreTransfer(runs: 3, comparisons: 1, decisions: 1))
    #expect(
      try target.importContent(of: ImportSource(path: lesser)) == StoreTransfer(known: 5))
    #expect(try target.comparison(id: comparison.id).legs.count == 2)
    // A comparison without a common session is another measurement.
    try store.append(.init(base: "two2", candidate: "four4"), toComparison: comparison.id)
    _ = try store.export(to: folder("other.sqlite"))
    #expect(throws: StoreError.differentContent(id: comparison.id)) {
      try target.importContent(of: ImportSource(path: folder("other.sqlite")))
    }
  }

  @Test func `imported decisions keep free numbers`() throws {
    _ = try store.export(to: file)
    let target = try target()
    var own = try decision("Another one.")
    own = try target.append(own)
    let came = try target.importContent(of: ImportSource(path: file))
    #expect(came.renumbered == [1: 2])
    #expect(try target.decisions().map(\.because) == ["Another one.", "It is faster."])
    #expect(try target.decisions().map(\.number) == [1, 2])
  }

  @Test func `a conflict in one item reverts the whole import`() throws {
    _ = try store.export(to: file)
    let target = try target()
    try target.save(
      SampleRuns.run(seed: 50, launches: 1, samples: 0, fling: 0, id: "three3"))
    #expect(throws: StoreError.differentContent(id: "three3")) {
      try target.importContent(of: ImportSource(path: file))
    }
    #expect(try target.headers().map(\.id) == ["three3"])
    #expect(try target.comparisons().isEmpty)
  }
}
