import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Synchronization
import Testing

@testable import perfkit

/// Tiny selftests; their conclusions on a busy machine are not tested.
@Suite(.serialized)
struct SelftestTests {
  @Test func `a selftest of two comparisons measures both and draws no conclusion`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "selftest", "--comparisons", "2", "--launch-time", "5ms", "--max-pairs", "12", "--no-profile",
      "--format", "json")
    #expect(result.status == .inconclusive, "\(result.errors)")
    let document = try result.json()
    #expect(document["schema"] as? String == "perfkit.selftest/1")
    #expect(document["verdict"] as? String == "too_few")
    #expect(document["certificate"] is NSNull)
    let comparisons = try #require(document["comparisons"] as? [[String: Any]])
    #expect(comparisons.map { $0["change"] as? String } == ["same", "cpu-3"])
    #expect(comparisons.allSatisfy { $0["pairs"] as? Int == 12 })
    // Twice 12 pairs and a discarded one, of 4 + 4 launches each, and 9 launches of the calibration.
    #expect(document["launches"] as? Int == 2 * 13 * 8 + 9)
    let estimate = try #require(comparisons.last?["estimate"] as? Double)
    #expect(estimate > -0.5 && estimate < 0.5)
    #expect(result.errors.contains("plan: 2 comparisons"))
    // Only the store remains.
    let left = try FileManager.default.contentsOfDirectory(atPath: perfkit.folder(".perfkit"))
    #expect(left.allSatisfy { $0.hasPrefix("perfkit.sqlite") || $0 == "scratch" || $0 == "data" })
    #expect(perfkit("list", "runs").output.contains("selftest") == false)
  }

  @Test(arguments: [0, 30, 300])
  func `a stopped selftest stores no certificate, whenever it is stopped`(questions: Int) throws {
    let perfkit = try TestCommand()
    let asked = Atomic(0)
    let result = perfkit.run(
      ["selftest", "--launch-time", "2ms", "--no-profile", "--comparisons", "30"],
      cancellation: Cancellation { asked.add(1, ordering: .relaxed).oldValue >= questions })
    #expect(result.status == .interrupted, "\(result.errors)")
    #expect(!result.output.contains("kept for this machine"))
    #expect(!result.errors.contains("perfkit:"))
    let left = try FileManager.default.contentsOfDirectory(atPath: perfkit.folder(".perfkit"))
    #expect(!left.contains { $0.hasPrefix("selftest-") })
  }

  @Test func `a run is shown with the certificate of its machine`() throws {
    let perfkit = try TestCommand()
    try perfkit.scenario(
      "true", "scenario: true\nsummary: Nothing.\ncommand: [/bin/true]\niterations: 1\nwarmup: 0\n")
    #expect(perfkit("run", "--all", "true", "--no-report", "--no-profile").status == .done)
    #expect(perfkit("show", "latest").output.contains("'perfkit selftest'"))
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    let run = try store.run(id: store.resolve("latest").id)
    try store.append(
      NoiseCertificate(
        machine: run.environment.machine, certified: Timestamp(milliseconds: 0),
        findings: [.init(change: .nothing, told: 0, comparisons: 16)],
        smallest: .init(.cpuTime, size: 0.03), duration: 1, launches: 1, seed: 1,
        version: "0.1.0"))
    let shown = perfkit("show", "latest").output.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(
      shown.contains(
        "certified on 1970-01-01: false alarms 0 of 16 (at most 17%), finds 3% of CPU time"))
    // The export for scripts contains the same.
    let exported = perfkit("export", "latest", "--to", "json", "-o", "-").output
    #expect(try jsonObject(exported)["certificate"] is [String: Any])
    #expect(exported == perfkit("show", "latest", "--format", "json").output)
  }
}
