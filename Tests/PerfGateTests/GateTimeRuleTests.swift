import Foundation
import PerfTestSupport
import Testing

@testable import PerfGate

/// The time of a gate in the project files of two trees.
struct GateTimeRuleTests {
  /// Returns the changes of the rules between two gate sections.
  private func changes(from old: String, to new: String) throws -> [GateChange] {
    let folder = try TemporaryFolder()
    for (side, gate) in [("base", old), ("candidate", new)] {
      try FileManager.default.createDirectory(
        atPath: folder(side), withIntermediateDirectories: true)
      try "build: [/bin/true]\ngate: { \(gate) }\n".write(
        toFile: folder("\(side)/perfkit.yml"), atomically: true, encoding: .utf8)
    }
    return GateRules(tree: folder("base")).changes(to: GateRules(tree: folder("candidate")))
  }

  @Test func `less time for the gate is loosened, and more is not`() throws {
    let start = "The candidate loosens the gate: it measures for at most "
    let less = try changes(from: "max_time: 20s", to: "max_time: 1s")
    #expect(less.map(\.sentence) == [start + "1 s, not 20 s."])
    #expect(less.map(\.id) == ["loosened:perfkit.yml"])
    let first = try changes(from: "quick: false", to: "max_time: 1s")
    #expect(first.map(\.sentence) == [start + "1 s, not without a limit."])
    #expect(try changes(from: "max_time: 1s", to: "max_time: 20s").isEmpty)
    #expect(try changes(from: "max_time: 1s", to: "quick: false").isEmpty)
  }
}
