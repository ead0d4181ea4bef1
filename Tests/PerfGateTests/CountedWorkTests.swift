import Foundation
import PerfModel
import PerfReport
import PerfScenario
import PerfStatistics
import PerfStore
import PerfTestSupport
import Testing

@testable import PerfGate

/// Comparisons whose work is counted by a function in place of callgrind.
@Suite(.serialized)
struct CountedWorkTests {
  private let folder: TemporaryFolder
  private let store: RunStore
  private let test: TestMeasuring

  init() throws {
    folder = try TemporaryFolder()
    store = try RunStore(path: folder(".perfkit/perfkit.sqlite"))
    var settings = MeasuringSettings()
    settings.isProfiled = false
    test = TestMeasuring(in: folder, settings)
  }

  private func sides(_ gate: String) throws -> PairedSides {
    try TestMeasuring.writeScenario(in: folder, gate: gate, script: "exit 0")
    return try test.measuring.sides(of: "work", variants: "a", "b")
  }

  /// Makes stored runs whose launches have the next instructions of their variant.
  private final class Counter {
    var counts: [String: [Double]]
    private(set) var launches: [Int] = []

    init(a: [Double], b: [Double]) { counts = ["a": a, "b": b] }

    func count(_ side: PairedSides.Side, _ number: Int, _ store: RunStore) throws -> Run {
      launches.append(number)
      let variant = side.variant ?? ""
      let values = counts[variant] ?? []
      try #require(values.count >= number, "no further count is expected")
      counts[variant] = Array(values.dropFirst(number))
      let run = CountedRuns.run(
        Array(values.prefix(number)), functions: ["f": values.prefix(number).map { UInt64($0) }],
        id: "w\(variant)\(launches.count)")
      try store.save(run)
      return run
    }
  }

  private func measure(
    _ gate: String, _ counter: Counter, maxPairs: Int? = 1
  ) throws -> PairedComparison {
    try test.measuring.measure(
      sides(gate), PairingSettings(maxPairs: maxPairs), into: store,
      by: { side, _, number, store in try counter.count(side, number, store) })
  }

  @Test func `equal work is decided by two launches of each side before the pairs`() throws {
    let counter = Counter(a: [5000, 5000], b: [5000, 5000])
    let compared = try measure("{ margin: 10%, metrics: { wall: {} }, count: true }", counter)
    #expect(counter.launches == [2, 2])
    #expect(compared.comparison.work?.verdict == .equivalent)
    #expect(compared.pairs.count == 1 && compared.comparison.verdict == .inconclusive)
    // The time of one pair is unbounded, so the work cannot settle it.
    #expect(compared.comparison.combined == .inconclusive)
    #expect(compared.stored.design.counting?.legs.count == 1)
    // The verdict is computed again from the store and from a report.
    let again = try PairedComparison(
      id: compared.stored.id, inStoreAt: folder(".perfkit/perfkit.sqlite"))
    #expect(again.comparison.work == compared.comparison.work)
    #expect(again.document().html().contains("Does exactly the same work"))
  }

  @Test func `more work is confirmed by four launches of each side`() throws {
    let counter = Counter(a: [5000, 5000, 5000, 5000], b: [5100, 5100, 5100, 5100])
    let compared = try measure("{ metrics: { wall: {} }, count: true }", counter)
    #expect(counter.launches == [2, 2, 1, 1, 1, 1])
    #expect(compared.comparison.work?.verdict == .regressed)
    #expect(compared.comparison.combined == .regressed)
    #expect(compared.comparison.work?.culprits.map(\.name) == ["f"])
    #expect(compared.stored.design.counting?.legs.count == 3)
  }

  @Test func `more work ends a comparison without limits at the first look at the time`() throws {
    // No time of a launch is equivalent within this margin.
    let gate = "{ margin: 0.0001%, metrics: { wall: {} }, count: true }"
    let counter = Counter(a: [5000, 5000, 5000, 5000], b: [5100, 5100, 5100, 5100])
    let compared = try measure(gate, counter, maxPairs: nil)
    #expect(compared.pairs.count == LookSchedule.firstLook)
    #expect(compared.comparison.combined == .regressed)
  }

  @Test func `a policy of timed metrics replaces a gate that counts`() throws {
    var sides = try sides("{ metrics: { wall: {} }, count: true }")
    #expect(sides.countsWork(PairingSettings()))
    sides.policy = Scenario.GatePolicy(metrics: ["wall": nil])
    #expect(!sides.countsWork(PairingSettings()))
    #expect(sides.countsWork(PairingSettings(countsWork: true)))
  }

  @Test func `the work ends no comparison that has a limit or waits for its time`() {
    func isEndedByWork(_ settings: PairingSettings) -> Bool {
      PairLimit(settings, test.measuring, share: nil).isEndedByWork
    }
    #expect(isEndedByWork(PairingSettings()))
    #expect(!isEndedByWork(PairingSettings(maxPairs: 20)))
    var settings = PairingSettings()
    settings.waitsForTime = true
    #expect(!isEndedByWork(settings))
  }

  @Test func `a continued comparison is not counted again`() throws {
    let gate = "{ metrics: { wall: {} }, count: true }"
    let first = try measure(gate, Counter(a: [5000, 5000], b: [5000, 5000]))
    let counter = Counter(a: [], b: [])
    let more = try measure(gate, counter, maxPairs: 2)
    #expect(more.stored.id == first.stored.id && more.pairs.count == 2)
    #expect(counter.launches.isEmpty && more.comparison.work == first.comparison.work)
    let (timed, notes) = (try measure("{ metrics: { wall: {} } }", counter), test.notes)
    #expect(timed.stored.id != first.stored.id && timed.comparison.work == nil)
    #expect(notes.contains("is not continued: the work was counted"), "\(notes)")
  }

  @Test func `a gate of counted metrics alone makes one pair`() throws {
    let counter = Counter(a: [5000, 5000, 5000, 5000], b: [5100, 5100, 5100, 5100])
    let compared = try measure(
      "{ metrics: { work.instructions: { margin: 0.2% } } }", counter, maxPairs: 40)
    #expect(compared.pairs.count == 1 && compared.stored.isFinished)
    #expect(compared.comparison.combined == .regressed)
    #expect(compared.comparison.work?.metrics.first?.margin == 0.002)
    #expect(compared.document().verdictSentence.hasSuffix("time does not gate."))
  }

  @Test func `a program that cannot be counted is judged by time, and the reason is reported`()
    throws
  {
    struct Missing: Error, CustomStringConvertible {
      let description = "cannot find valgrind. Install the package valgrind."
    }
    let compared = try test.measuring.measure(
      sides("{ metrics: { wall: {} }, count: true }"), PairingSettings(maxPairs: 1),
      into: store, by: { _, _, _, _ in throw Missing() })
    #expect(compared.comparison.work == nil)
    #expect(compared.comparison.combined == .inconclusive)
    let warning = compared.comparison.warnings.first { $0.code == "work.not_counted" }
    #expect(warning?.message.contains("cannot find valgrind") == true)
    #expect(test.notes.contains("time decides: "), "\(test.notes)")
  }

  /// AVX-512 ends a launch of the candidate under valgrind, and the base is counted.
  @Test func `the reason why valgrind cannot run one side is reported, and time decides`() throws {
    let reason = "valgrind does not know an instruction of the program"
    let compared = try test.measuring.measure(
      sides("{ metrics: { wall: {} }, count: true }"), PairingSettings(maxPairs: 1),
      into: store,
      by: { side, _, _, store in
        let isBase = side.variant == "a"
        let run = CountedRuns.run(
          isBase ? [5000, 5000] : [], failure: isBase ? nil : .failed(reason),
          id: isBase ? "wa" : "wb")
        try store.save(run)
        return run
      })
    #expect(compared.comparison.work?.verdict == .inconclusive)
    #expect(compared.comparison.combined == compared.comparison.verdict)
    #expect(compared.stored.design.counting?.legs.count == 1)
    let warnings = compared.comparison.warnings.filter { $0.code == "work.not_counted" }
    #expect(
      warnings.map(\.message) == [
        "counted launches of the candidate: launch 0 failed: \(reason)"
      ])
  }

  @Test func `a comparison whose counted runs were removed is judged by time`() throws {
    let counter = Counter(a: [5000, 5000], b: [5000, 5000])
    let compared = try measure("{ metrics: { wall: {} }, count: true }", counter)
    try store.remove(run: "wa1")
    let again = try PairedComparison(
      id: compared.stored.id, inStoreAt: folder(".perfkit/perfkit.sqlite"))
    #expect(again.comparison.work == nil)
    #expect(again.comparison.warnings.contains { $0.code == "work.not_counted" })
  }

  @Test func `counted metrics are found in a search without pairs`() throws {
    let counter = Counter(a: [5000, 5000, 5000, 5000], b: [5100, 5100, 5100, 5100])
    let work = try test.measuring.compareWork(
      sides("{ metrics: { work.instructions: {} } }"), into: store,
      by: { side, _, number, store in try counter.count(side, number, store) })
    #expect(work.verdict == .regressed)
    #expect(try store.comparisons().isEmpty)
  }

  // MARK: - The gate's report

  private func judged(accepting: Bool) -> GateComparison {
    var comparison = MadeUpComparisons.comparison(
      [MadeUpComparisons.metric("wall", 0.01, .inconclusive)], .inconclusive)
    comparison.work = WorkComparer().compare(
      WorkCounts([CountedRuns.run([1e6, 1e6, 1e6, 1e6])]),
      WorkCounts([CountedRuns.run([1.031e6, 1.031e6, 1.031e6, 1.031e6])]))
    var decision = Decision(
      comparison, verdict: comparison.combined, sentence: "", outcome: .kept, hypothesis: "",
      change: "", because: "It is safer.", decided: Timestamp(milliseconds: 0))
    decision.number = 4
    return GateComparison(comparison, gating: ["wall"], ledger: accepting ? [decision] : [])
  }

  @Test func `more work fails the gate in every format`() {
    let report = MadeUpComparisons.report(judged(accepting: false))
    #expect(report.findings.map(\.level) == [.failure])
    #expect(report.findings.first?.topic == "regressed")
    #expect(report.findings.first?.message.hasPrefix("Does 3.1% more work, time undecided") == true)
    let failed = report.cases.filter { if case .failed = $0.outcome { true } else { false } }
    #expect(failed.map(\.name) == ["work.instructions compared with the base"])
    #expect(
      report.digest.comment.contains("| work:default | work.instructions |"),
      "\(report.digest.comment)")
    #expect(report.digest.json.text(isIndented: false).contains(#""combined":"regressed""#))
  }

  @Test func `more work that a decision accepts fails nothing`() {
    let comparison = judged(accepting: true)
    #expect(comparison.accepted == ["work.instructions": 4])
    #expect(comparison.rest.work?.verdict == .equivalent)
    #expect(comparison.rest.combined == .equivalent)
    #expect(comparison.acceptance?.contains("work.instructions rose by 3.1%") == true)
  }
}
