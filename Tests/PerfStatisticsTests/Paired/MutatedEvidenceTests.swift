import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStatistics

/// The launches in reports of comparisons, which `perfkit verify` judges again, with seeded changes.
struct MutatedEvidenceTests {
  @Test func `changed evidence is judged or refused`() throws {
    let noise = PairedData.noise(3, 40)
    let (base, candidate) = (
      TestRuns.run(["wall": noise.prefix(20).map { 100 + $0 }], id: "a"),
      TestRuns.run(["wall": noise.suffix(20).map { 103 + $0 }], id: "b")
    )
    let comparison = try PairedComparer(seed: 1).compare(base, candidate, launchesPerPair: 2)
    let evidence = PairedEvidence(
      comparison,
      design: ComparisonDesign(
        seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy(), launchesPerPair: 2),
      definitions: [TestRuns.time], gating: ["wall"],
      environments: (base.environment, candidate.environment),
      pairs: LaunchPair.pairs(of: base, candidate, launches: 2),
      work: WorkEvidence(
        ComparisonDesign.Counting(
          policy: Scenario.GatePolicy().counted, gatingCount: 1, isAlone: false),
        base: [CountedRuns.run([1e6, 1_000_001])], candidate: [CountedRuns.run([1e6, 1_000_002])]))
    #expect(evidence.pairs.count == 10)
    let bytes = [UInt8](try JSONEncoder().encode(evidence))
    var judged = 0
    Mutation.each(of: [bytes], count: 1000, seed: 14) { bytes in
      guard let read = try? JSONDecoder().decode(PairedEvidence.self, from: Data(bytes)),
        let again = try? read.judgedAgain()
      else { return }
      _ = read.differences(to: again)
      judged += 1
    }
    // A sixth of the inputs has one change, of which 0.1 * 0.9 change nothing: 15 of 1,000 are whole,
    // less three standard deviations of 3.9.
    #expect(judged >= 3)
  }
}
