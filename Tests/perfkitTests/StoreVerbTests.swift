import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The verbs that check, copy and shrink the store.
struct StoreVerbTests {
  private func addScenario(to perfkit: TestCommand) throws {
    try perfkit.scenario(
      "nothing",
      "scenario: nothing\nsummary: Nothing.\ncommand: [/bin/true]\niterations: 1\nwarmup: 0\n")
  }

  @Test func `a store can be checked, copied, pruned and vacuumed`() throws {
    let perfkit = try TestCommand()
    #expect(perfkit("store", "check").errors.contains("there are no runs yet"))
    #expect(perfkit("store", "vacuum").status == .failed)
    try addScenario(to: perfkit)
    for _ in 0..<2 { _ = perfkit("run", "--all", "nothing", "--no-report", "--no-profile") }
    #expect(perfkit("store", "check").output.hasSuffix("is not damaged.\n"))
    #expect(perfkit("store", "backup", "copy.sqlite").status == .done)
    #expect(perfkit("store", "backup", "copy.sqlite").status == .failed)
    let pruned = perfkit("store", "prune", "--keep", "1")
    #expect(pruned.output.split(separator: "\n").count == 1)
    #expect(perfkit("store", "vacuum").status == .done)
    #expect(perfkit("store", "vacuum").says("has no unused space and stays at"))
    func runs(_ words: String...) -> Int {
      let output = perfkit.run(["list", "runs", "--format", "csv"] + words).output
      return output.split(separator: "\n").count - 1
    }
    #expect(runs() == 1)
    #expect(runs("--store", "copy.sqlite") == 2)
    #expect(perfkit("store", "prune", "--keep", "-1").status == .usage)
  }

  @Test func `a store that was cut off is damaged, which is its check's result`() throws {
    let perfkit = try TestCommand()
    try addScenario(to: perfkit)
    _ = perfkit("run", "nothing", "--no-report", "--no-profile")
    let whole = try Data(
      contentsOf: URL(fileURLWithPath: perfkit.folder(".perfkit/perfkit.sqlite")))
    try whole.prefix(8192).write(to: URL(fileURLWithPath: perfkit.folder("part.sqlite")))
    let check = perfkit("store", "check", "--store", "part.sqlite")
    #expect(check.status == .gateFailed, "\(check.errors)")
    #expect(check.output.hasPrefix("'part.sqlite' is damaged:\n"))
    #expect(check.output.hasSuffix("Restore a backup, or pass another --store.\n"))
    let json = try perfkit("store", "check", "--store", "part.sqlite", "--format", "json").json()
    #expect((json["damages"] as? [String])?.count == 1)
  }

  @Test func `an empty list has its header in CSV`() throws {
    let perfkit = try TestCommand()
    try addScenario(to: perfkit)
    _ = perfkit("run", "nothing", "--no-report", "--no-profile")
    #expect(
      perfkit("list", "baselines", "--format", "csv").output
        == "baseline,run,started (UTC),scenario:variant\n")
  }
}
