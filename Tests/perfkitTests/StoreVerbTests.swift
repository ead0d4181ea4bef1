import Foundation
import Testing

@testable import perfkit

/// The care of the store, from the command line.
struct StoreVerbTests {
  @Test func `a store is checked, copied, pruned and given back to the disk`() throws {
    let perfkit = try TestCommand()
    #expect(perfkit("store", "check").errors.contains("there are no runs yet"))
    #expect(perfkit("store", "vacuum").status == .failed)
    try perfkit.scenario(
      "nothing",
      "scenario: nothing\nsummary: Nothing.\ncommand: [/bin/true]\niterations: 1\nwarmup: 0\n")
    for _ in 0..<2 { _ = perfkit("run", "nothing", "--no-report", "--no-profile") }
    #expect(perfkit("store", "check").output.hasSuffix("is sound.\n"))
    #expect(perfkit("store", "backup", "copy.sqlite").status == .done)
    #expect(perfkit("store", "backup", "copy.sqlite").status == .failed)
    let pruned = perfkit("store", "prune", "--keep", "1")
    #expect(pruned.output.split(separator: "\n").count == 1)
    #expect(perfkit("store", "vacuum").status == .done)
    func runs(_ words: String...) -> Int {
      let output = perfkit.run(["list", "runs", "--format", "csv"] + words).output
      return output.split(separator: "\n").count - 1
    }
    #expect(runs() == 1)
    #expect(runs("--store", "copy.sqlite") == 2)
    #expect(perfkit("store", "prune", "--keep", "-1").status == .usage)
  }
}
