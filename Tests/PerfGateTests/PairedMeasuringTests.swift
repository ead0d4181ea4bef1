import Foundation
import PerfModel
import PerfStatistics
import PerfStore
import PerfTestSupport
import Testing

@testable import PerfGate

/// Comparisons of two variants of a script that continue after a stop, or begin anew.
@Suite(.serialized)
struct PairedMeasuringTests {
  private let folder: TemporaryFolder
  private let store: RunStore

  init() throws {
    folder = try TemporaryFolder()
    store = try RunStore(path: folder(".perfkit/perfkit.sqlite"))
    try prepare()
  }

  private func prepare(
    _ metric: String = "wall", margin: String = "10%", script: String = "exit 0"
  ) throws {
    try TestMeasuring.writeScenario(
      in: folder, gate: "{ margin: \(margin), metrics: { \(metric): {} } }", script: script)
  }

  /// Measures pairs, and returns the comparison and the notes of its progress.
  private func measure(
    pairs: Int = 1, atLeast: Int = 1, counts: GatingCounts? = nil,
    allowsDifferentEnvironments: Bool = false, countsAllocations: Bool = false,
    observe: @escaping (MeasuringEvent) -> Void = { _ in }
  ) throws -> (PairedComparison, String) {
    var settings = MeasuringSettings()
    settings.isProfiled = false
    settings.countsAllocations = countsAllocations
    let test = TestMeasuring(in: folder, settings, observe: observe)
    let sides = try test.measuring.sides(of: "work", variants: "a", "b")
    let pairing = PairingSettings(
      maxPairs: pairs, minPairs: atLeast,
      allowsDifferentEnvironments: allowsDifferentEnvironments)
    let compared = try test.measuring.measure(
      sides, pairing, among: counts, into: store)
    return (compared, test.notes)
  }

  @Test func `a comparison with all its pairs continues only with a greater limit`() throws {
    let (first, _) = try measure()
    #expect(first.pairs.count == 1 && !first.stored.isFinished)
    let (same, notes) = try measure()
    #expect(same.stored.id == first.stored.id && same.legs.count == 1)
    #expect(notes.contains("already has 1 pair; increase --max-pairs to continue it"))
    let (more, moreNotes) = try measure(pairs: 2)
    #expect(more.stored.id == first.stored.id && more.pairs.count == 2)
    #expect(moreNotes.contains("continuing comparison \(first.stored.id) after 1 pair"))
    // Budgets are judged by both sessions: 2 pairs of 4 launches.
    #expect(more.legs.count == 2)
    #expect(more.candidate.measured.count == 8)
  }

  @Test func `a comparison that continues after a kill is exported`() throws {
    let (first, _) = try measure()
    // A killed process leaves its runs in this state.
    let warning = RunWarning(code: "test", message: "The run is open again.", remedy: "None.")
    for id in first.stored.runs { _ = try store.reopen(id, adding: warning) }
    let (more, _) = try measure(pairs: 2)
    #expect(more.stored.id == first.stored.id && more.pairs.count == 2)
    let states = try first.stored.runs.map { try store.header(id: $0).state }
    #expect(states == [.interrupted, .interrupted])
    let sent = try store.export(to: folder("export.sqlite"), runs: more.stored.runs)
    #expect(sent.runs == 4 && sent.comparisons == 1 && sent.unfinished.isEmpty)
  }

  @Test func `the last pair finishes a comparison that it decides`() throws {
    // Allocations are not counted, so that the first look ends the comparison as inconclusive.
    try prepare("alloc.count")
    let (first, _) = try measure(pairs: 11)
    #expect(first.comparison.verdict == .inconclusive)
    #expect(first.pairs.count == 11 && first.stored.isFinished)
    let (second, notes) = try measure(pairs: 11)
    #expect(second.stored.id != first.stored.id && second.pairs.count == 11)
    #expect(!notes.contains("continuing"))
  }

  @Test func `a decided comparison is measured up to the least number of pairs`() throws {
    // Allocations are not counted, which is known after 11 pairs.
    try prepare("alloc.count")
    let (first, _) = try measure(pairs: 13, atLeast: 12)
    #expect(first.isDecided && first.pairs.count == 12 && first.stored.isFinished)
    #expect(first.comparison.verdict == .inconclusive)
  }

  @Test func `only the gating metrics are judged between pairs, and all metrics at the end`()
    throws
  {
    var judged: Set<String> = []
    let (compared, _) = try measure { event in
      guard case .pair(let state) = event else { return }
      judged.formUnion(state.judge.judgements.map { $0.definition.name })
    }
    #expect(judged == ["wall"])
    #expect(compared.comparison.metrics.contains { $0.definition.name == "cpu.total" })
  }

  @Test func `another program begins another comparison, and the old program continues its own`()
    throws
  {
    let (first, _) = try measure()
    try prepare(script: "true; exit 0")
    let (second, notes) = try measure()
    #expect(second.stored.id != first.stored.id && second.pairs.count == 1)
    #expect(
      notes.contains(
        "comparison \(first.stored.id) is not continued: the base's program changed "
          + "and the candidate's program changed; a new one begins"), "\(notes)")
    try prepare()
    let (third, _) = try measure(pairs: 2)
    #expect(third.stored.id == first.stored.id && third.pairs.count == 2)
  }

  @Test func `another design begins another comparison, and the reason is reported`() throws {
    let (first, _) = try measure()
    let six = GatingCounts(timed: 6)
    let (more, notes) = try measure(counts: six)
    #expect(more.stored.id != first.stored.id)
    #expect(more.stored.design.gatingCount == 6)
    #expect(notes.contains("the error rate is divided by 6 instead of 1"), "\(notes)")
    let (allowing, allowingNotes) = try measure(counts: six, allowsDifferentEnvironments: true)
    #expect(allowing.stored.id != more.stored.id)
    #expect(allowingNotes.contains("--allow-different-environments was not given"))
    let (counting, countingNotes) = try measure(countsAllocations: true)
    #expect(counting.stored.id != first.stored.id)
    #expect(
      countingNotes.contains("the programs are launched in another way"), "\(countingNotes)")
    try prepare(margin: "5%")
    let (finer, finerNotes) = try measure()
    #expect(finer.stored.design.policy.margin == Scenario.Margin(relative: 0.05))
    #expect(finerNotes.contains("the margins or gating metrics changed"), "\(finerNotes)")
  }

  @Test func `a limit of pairs that permits no verdict is refused`() throws {
    let pairing = PairingSettings(maxPairs: 11)
    // By LookSchedule's table, the first look of two metrics is after 11 pairs, of three after 12.
    try pairing.check(GatingCounts(timed: 2))
    try PairingSettings().check(GatingCounts(timed: 3))
    try pairing.check(GatingCounts(timed: 1, counted: 5))
    // Counted metrics need no pairs, and take half of the error of others.
    try pairing.check(GatingCounts(timed: 0, counted: 9))
    for counts in [GatingCounts(timed: 3), GatingCounts(timed: 2, counted: 1)] {
      let failure = #expect(throws: Failure.self) { try pairing.check(counts) }
      #expect(failure?.status == .usage)
      #expect(failure?.message.contains("the first verdict is possible after 12 pairs") == true)
    }
  }
}
