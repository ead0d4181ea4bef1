import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct ComparisonTests {
  private let store: RunStore
  private let comparison = StoredComparison(
    id: "c1m7zm678x1", subject: "scroll:naive against scroll:optimised",
    started: SampleRuns.firstStart,
    design: ComparisonDesign(
      seed: .max, gatingCount: 3, maxPairs: 40,
      policy: Scenario.GatePolicy(
        margin: Scenario.Margin(relative: 0.02),
        metrics: ["wall": nil, "rss.peak": Scenario.Margin(relative: 0.03, absolute: 1e6)]),
      launchesPerPair: 4, conditions: ["the base's program": "9e3779b97f4a7c15"]))

  init() throws {
    store = try RunStore.inMemory()
    for id in ["one1", "two2", "three3", "four4"] {
      try store.save(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: id))
    }
  }

  @Test func `a stored comparison keeps its design and the order of its legs`() throws {
    try store.save(comparison)
    try store.append(.init(base: "one1", candidate: "two2"), toComparison: comparison.id)
    try store.append(.init(base: "three3", candidate: "four4"), toComparison: comparison.id)
    let found = try store.comparison(id: comparison.id)
    #expect(found.design == comparison.design)
    #expect(found.subject == comparison.subject)
    #expect(
      found.legs == [
        .init(base: "one1", candidate: "two2"), .init(base: "three3", candidate: "four4"),
      ])
    #expect(try store.comparison(id: "c1m7zm").id == comparison.id)
    #expect(try store.comparisons() == [found])
  }

  @Test func `comparisons are found by subject and keep their state`() throws {
    try store.save(comparison)
    #expect(try store.comparisons(of: comparison.subject).map(\.isFinished) == [false])
    #expect(try store.comparisons(of: "another").isEmpty)
    var finished = comparison
    finished.isFinished = true
    try store.save(finished)
    #expect(try store.comparisons(of: comparison.subject).map(\.isFinished) == [true])
  }

  @Test func `a limited list contains the latest comparisons`() throws {
    for number in 0..<3 {
      try store.save(
        StoredComparison(
          id: "c1m7zm678x\(number)", subject: comparison.subject,
          started: Timestamp(milliseconds: comparison.started.milliseconds + Int64(number)),
          design: comparison.design))
    }
    #expect(try store.comparisons(limit: 2).map(\.id) == ["c1m7zm678x2", "c1m7zm678x1"])
    #expect(try store.comparisons(limit: 4) == store.comparisons())
  }

  @Test func `the error of an unknown comparison contains its id`() throws {
    #expect(throws: StoreError.unknownComparison(id: "c999999")) {
      try store.comparison(id: "c999999")
    }
    #expect(throws: StoreError.unknownComparison(id: "c999999")) {
      try store.append(.init(base: "one1", candidate: "two2"), toComparison: "c999999")
    }
    try store.save(comparison)
    #expect(throws: StoreError.unknownRun(id: "none")) {
      try store.append(.init(base: "none", candidate: "two2"), toComparison: comparison.id)
    }
    #expect(try store.comparison(id: comparison.id).legs.isEmpty)
  }

  @Test func `a prefix of two comparison ids is ambiguous`() throws {
    try store.save(comparison)
    try store.save(
      StoredComparison(
        id: "c1m7zm678x2", subject: "s", started: SampleRuns.firstStart, design: comparison.design))
    #expect {
      try store.comparison(id: "c1m7zm")
    } throws: { error in
      guard case StoreError.ambiguousReference(_, let matches) = error else { return false }
      return matches.count == 2
    }
  }

  @Test func `pruning removes all runs of a comparison or none`() throws {
    try store.save(comparison)
    try store.append(.init(base: "one1", candidate: "two2"), toComparison: comparison.id)
    try store.append(.init(base: "three3", candidate: "four4"), toComparison: comparison.id)
    // A run that belongs to two comparisons connects them.
    try store.save(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: "five5"))
    let other = StoredComparison(
      id: "c2m7zm678x1", subject: "s", started: SampleRuns.firstStart, design: comparison.design)
    try store.save(other)
    try store.append(.init(base: "four4", candidate: "five5"), toComparison: other.id)
    #expect(try store.prune(keeping: 1) == [])
    #expect(try store.comparison(id: comparison.id).legs.count == 2)
    #expect(try store.prune(keeping: 0) == ["one1", "two2", "three3", "four4", "five5"])
    #expect(try store.comparison(id: comparison.id).legs.isEmpty)
  }

  @Test func `pruning keeps the runs of decisions`() throws {
    try store.save(comparison)
    try store.append(.init(base: "one1", candidate: "two2"), toComparison: comparison.id)
    let compared = Comparison(
      id: comparison.id, base: .init(try store.run(id: "one1")),
      candidate: .init(try store.run(id: "two2")), alpha: 0.02, seed: 0, metrics: [],
      functions: [], environmentDifferences: [], warnings: [], verdict: .improved)
    let decision = try store.append(
      Decision(
        compared, sentence: "Improved.", outcome: .kept, hypothesis: "", change: "",
        because: "It is faster.", decided: SampleRuns.firstStart))
    #expect(decision.number == 1)
    #expect(try store.decisions() == [decision])
    // Decisions with lower numbers may exist in another store.
    let other = try store.append(decision, numberedFrom: 5)
    #expect(other.number == 5)
    #expect(try store.append(decision, numberedFrom: 2).number == 6)
    #expect(try Set(store.prune(keeping: 0)) == ["three3", "four4"])
    #expect(try store.comparison(id: comparison.id).legs.count == 1)
  }
}
