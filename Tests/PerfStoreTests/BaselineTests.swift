import Foundation
import GRDB
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct BaselineTests {
  private let store: RunStore
  private let now = SampleRuns.firstStart

  init() throws {
    store = try RunStore.inMemory()
    for id in ["one1", "two2", "three3"] {
      try store.save(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: id))
    }
  }

  @Test func `a baseline keeps its runs in order`() throws {
    try store.saveBaseline("main", runs: ["two2", "one1", "two2"], saved: now)
    let baseline = try store.baseline(named: "main")
    #expect(baseline.name == "main")
    #expect(baseline.saved == now)
    #expect(baseline.runs.map(\.id) == ["two2", "one1"])
  }

  @Test func `saving a baseline adds a session or replaces all sessions`() throws {
    let later = Timestamp(milliseconds: now.milliseconds + 1)
    try store.saveBaseline("main", runs: ["one1"], saved: now)
    try store.saveBaseline("main", runs: ["two2"], saved: later, isAdding: true)
    #expect(try store.baseline(named: "main").runs.map(\.id) == ["one1", "two2"])
    #expect(try store.baseline(named: "main").saved == later)
    try store.saveBaseline("main", runs: ["three3"], saved: later)
    #expect(try store.baseline(named: "main").runs.map(\.id) == ["three3"])
    try store.saveBaseline("new", runs: ["one1"], saved: now, isAdding: true)
    #expect(try store.baselines().map(\.name) == ["main", "new"])
  }

  @Test func `saving a baseline with an unknown run leaves the baseline unchanged`() throws {
    try store.saveBaseline("main", runs: ["one1"], saved: now)
    #expect(throws: StoreError.unknownRun(id: "none")) {
      try store.saveBaseline("main", runs: ["two2", "none"], saved: now)
    }
    #expect(try store.baseline(named: "main").runs.map(\.id) == ["one1"])
    #expect(throws: StoreError.unknownRun(id: "none")) {
      try store.saveBaseline("fresh", runs: ["none"], saved: now)
    }
    #expect(try store.baselines().map(\.name) == ["main"])
  }

  @Test func `removing a baseline keeps its runs`() throws {
    try store.saveBaseline("main", runs: ["one1"], saved: now)
    try store.removeBaseline(named: "main")
    #expect(try store.baselines().isEmpty)
    #expect(try store.headers().count == 3)
  }

  @Test func `the error of an unknown baseline names the nearest one`() throws {
    try store.saveBaseline("release", runs: ["one1"], saved: now)
    let unknown = StoreError.unknownBaseline(name: "relaese", hint: "; did you mean 'release'?")
    #expect(throws: unknown) { try store.baseline(named: "relaese") }
    #expect(throws: unknown) { try store.removeBaseline(named: "relaese") }
    #expect(
      "\(unknown)"
        == "no baseline is called 'relaese'; did you mean 'release'? "
        + "'perfkit baseline list' lists all baselines.")
  }

  @Test func `a run of a baseline cannot be removed`() throws {
    try store.saveBaseline("main", runs: ["one1"], saved: now)
    #expect(throws: StoreError.heldByBaseline(run: "one1", baseline: "main")) {
      try store.remove(run: "one1")
    }
    #expect(try store.prune(keeping: 0) == ["two2", "three3"])
    #expect(try store.headers().map(\.id) == ["one1"])
  }
}

struct SymbolTests {
  private func read(_ store: RunStore, _ keys: [String]) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    try store.readSymbols(keys: keys) { found[keys[$0]] = $1 }
    return found
  }

  @Test func `stored symbols are read by build id`() throws {
    let store = try RunStore.inMemory()
    let payloads: [String: [UInt8]] = ["93ac61ec": Array("main".utf8), "a": [], "b": [0, 255]]
    try store.changeSymbols(keys: payloads.keys.sorted()) { id, _ in payloads[id] ?? [] }
    #expect(try read(store, ["b", "other", "a", "93ac61ec"]) == payloads)
    #expect(try read(store, ["other"]).isEmpty)
    #expect(try read(store, []).isEmpty)
  }

  @Test func `changing symbols passes the stored payload`() throws {
    let store = try RunStore.inMemory()
    for step: UInt8 in 1...3 {
      try store.changeSymbols(keys: ["a", "b\(step)"]) { _, old in (old ?? []) + [step] }
    }
    let all = try read(store, ["a", "b1", "b2", "b3"])
    #expect(all == ["a": [1, 2, 3], "b1": [1], "b2": [2], "b3": [3]])
  }
}
