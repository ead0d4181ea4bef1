import Foundation
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import PerfHub

/// A hub in a database of its own, with the stores of two machines.
struct TestHub {
  let postgres: TestPostgres
  let url: String
  let folder: TemporaryFolder
  /// The store of the first machine.
  let store: RunStore

  /// The comparison of `addComparison`.
  static let comparison = "cr1m7zm678x1"

  init(_ postgres: TestPostgres? = TestPostgres.shared) throws {
    self.postgres = try #require(postgres)
    url = try self.postgres.database()
    folder = try TemporaryFolder()
    store = try RunStore(path: folder("from.sqlite"))
    _ = try Hub.initialise(HubAddress(url), isCancelled: { false })
  }

  /// Connects to the hub.
  func hub(user: String = "postgres", options: String = "") throws -> Hub {
    try Hub(HubAddress(postgres.url(url, user: user, options: options)), isCancelled: { false })
  }

  /// Opens the store of another machine.
  func target(_ name: String = "to") throws -> RunStore {
    try RunStore(path: folder("\(name).sqlite"))
  }

  /// Saves a run with a small profile, frames and series.
  @discardableResult
  func save(
    _ id: String, in other: RunStore? = nil, seed: UInt64 = 1, scenario: String = "scroll-1000",
    variant: String = "optimised", minute: Int = 0, label: String? = nil, samples: Int = 60
  ) throws -> Run {
    let started = SampleRuns.firstStart.milliseconds + Int64(minute) * 60_000
    let run = SampleRuns.run(
      seed: seed, variant: variant, scenario: scenario, launches: 2, samples: samples,
      fling: samples > 0 ? 100 : 0, started: Timestamp(milliseconds: started), label: label, id: id)
    try (other ?? store).save(run)
    return run
  }

  /// Saves two runs with a comparison and a decision.
  func addComparison() throws {
    try save("r1")
    try save("r2", variant: "naive")
    try store.save(
      StoredComparison(
        id: Self.comparison, subject: "a against b", started: SampleRuns.firstStart,
        design: ComparisonDesign(
          seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy(), launchesPerPair: 4))
    )
    try store.append(.init(base: "r1", candidate: "r2"), toComparison: Self.comparison)
    try decide("It is faster.", in: store)
  }

  func decide(_ because: String, in store: RunStore) throws {
    let decision = Decision(
      Comparison(
        id: Self.comparison, base: .init(try store.run(id: "r1")),
        candidate: .init(try store.run(id: "r2")), alpha: 0.02, seed: 0, metrics: [],
        functions: [], environmentDifferences: [], warnings: [], verdict: .improved),
      sentence: "Improved.", outcome: .kept, hypothesis: "", change: "", because: because,
      decided: SampleRuns.firstStart)
    _ = try store.append(decision)
  }

  /// Runs SQL in the database, as its owner.
  @discardableResult
  func sql(_ statements: String) throws -> String { try postgres.psql(statements, in: url) }

  func count(_ table: String) throws -> Int {
    try #require(Int(sql("SELECT count(*) FROM perfkit.\(table)")))
  }
}

extension HubFilter {
  /// Returns the filter of references.
  static func named(_ references: String...) -> HubFilter {
    var filter = HubFilter()
    filter.references = references
    return filter
  }
}
