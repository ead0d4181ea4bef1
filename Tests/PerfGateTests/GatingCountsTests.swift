import PerfModel
import PerfScenario
import PerfTestSupport
import Testing

@testable import PerfGate

/// The gating metrics of an invocation with two comparisons.
struct GatingCountsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func sides(_ gate: String) throws -> PairedSides {
    try TestMeasuring.writeScenario(in: folder, gate: gate, script: "exit 0")
    return try TestMeasuring(in: folder, MeasuringSettings()).measuring.sides(
      of: "work", variants: "a", "b")
  }

  @Test func `times have half of the error if any comparison of the invocation counts work`()
    throws
  {
    let timed = try sides("{ metrics: { wall: {}, rss.peak: {} } }")
    let counted = try sides("{ count: true, metrics: { wall: {} } }")
    let alone = try sides("{ metrics: { work.instructions: {}, work.calls: {} } }")
    func counts(_ sides: [PairedSides], counting: Bool = false) -> [Int] {
      let counts = GatingCounts(of: sides, PairingSettings(countsWork: counting))
      return [counts.timed, counts.counted, counts.isShared ? 1 : 0]
    }
    #expect(counts([timed]) == [2, 0, 0])
    #expect(counts([timed, counted]) == [3, 1, 1])
    #expect(counts([timed, alone]) == [2, 2, 1])
    #expect(counts([timed], counting: true) == [2, 1, 1])
    // The times of a gate that names work alone do not gate.
    #expect(counts([alone]) == [0, 2, 0])
    #expect(GatingCounts(of: [alone], PairingSettings()).gatingCount == 1)
  }
}
