import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// Decisions that a gate finds in its store or on their pages.
@Suite(.serialized)
struct GateDecisionTests {
  @Test func `a decision made in one folder of a repository is known in all folders`() throws {
    let repository = try TestRepository()
    func context(in place: String, _ recorded: TestCommand.RecordedOutput = .init()) -> Context {
      var context = repository.perfkit.context(recorded)
      context.workspace.workingDirectory += place
      return context
    }
    try repository.write(
      "parts/Scenarios/nothing.yml",
      """
      scenario: nothing
      summary: A command.
      command: [/bin/true]
      variants: { a: {}, b: {} }
      default_variant: a
      iterations: 2
      warmup: 0
      gate: { margin: 10%, metrics: { wall: {} } }
      """)
    let recorded = TestCommand.RecordedOutput()
    for words in [
      [
        "diff", "--all", "--scenario", "nothing", "--variant", "a", "--variant", "b",
        "--no-profile",
        "--no-report", "--max-time", "1ns", "--quiet", "--format", "json",
      ], ["decide", "latest", "--keep", "--because", "It is nothing."],
    ] {
      #expect(
        Perfkit.run(words, in: context(in: "/parts", recorded)) == .done, "\(recorded.errors)")
    }
    #expect(
      recorded.output.hasSuffix("/Reports/decisions/0001-nothing-kept.md\n"), "\(recorded.output)")
    // A gate with another store finds the page from every folder.
    let store = try RunStore(path: repository.root + "/other.sqlite")
    for place in ["", "/parts", "/Scenarios"] {
      let folder = LedgerFolder(in: context(in: place).workspace)
      #expect(folder.path.hasSuffix("/my books/Reports/decisions"))
      let ledger = try Ledger.decisions(in: store, and: folder)
      #expect(ledger.map(\.because) == ["It is nothing."], "\(place)")
    }
    // A checkout that is no project has no common folder.
    try FileManager.default.removeItem(atPath: repository.root + "/perfkit.yml")
    #expect(
      LedgerFolder(in: context(in: "/parts").workspace).path == repository.root
        + "/parts/Reports/decisions")
  }

  @Test func `a decision accepts a regression against a baseline`() throws {
    let repository = try TestRepository(steps: 5)
    let perfkit = repository.perfkit
    try repository.build()
    for _ in 0..<5 {
      #expect(perfkit("run", "--all", "work", "--no-report", "--no-profile").status == .done)
    }
    #expect(
      perfkit("baseline", "save", "five", "latest", "latest~1", "latest~2", "latest~3", "latest~4")
        .status == .done)
    // Fifteen times the work exceeds the spread of five sessions on any machine.
    try repository.program(decode: 75, layout: 75)
    try repository.build()
    let words = ["gate", "--all", "work", "--no-profile", "--against", "five"]
    let red = perfkit.run(words)
    #expect(red.status == .gateFailed, "\(red.output)\(red.errors)")

    // A decision on the measured comparison is added to the ledger.
    let results = try #require(repository.verdict()["results"] as? [[String: Any]])
    let comparison = try #require(results.first?["comparison"] as? [String: Any])
    let ids = try ["base", "candidate"].map { side in
      try #require((comparison[side] as? [String: Any])?["id"] as? String)
    }
    let store = try RunStore(path: repository.root + "/.perfkit/perfkit.sqlite")
    let runs = try ids.map { try store.run(id: $0) }
    let metric = try #require((comparison["metrics"] as? [[String: Any]])?.first)
    let definition = try #require(runs[1].definitions.first { $0.name == "cpu.total" })
    #expect(metric["name"] as? String == definition.name)
    let number = { (key: String) in metric[key] as? Double }
    // The upper limit is tripled, as other tests may keep the machine busy.
    let accepted = MetricComparison(
      definition: definition, base: number("base"), candidate: number("candidate"),
      ratio: number("ratio"), estimate: number("estimate"), low: number("low"),
      high: number("high").map { 3 * $0 }, p: nil, n: (5, 6), margin: number("margin"),
      isGating: true,
      verdict: .regressed)
    _ = try store.append(
      Decision(
        Comparison(
          id: "c1", base: .init(runs[0]), candidate: .init(runs[1]), alpha: 0.02, seed: 0,
          metrics: [accepted], functions: [], environmentDifferences: [], warnings: [],
          verdict: .regressed), sentence: "Regressed.", outcome: .kept, hypothesis: "",
        change: "", because: "It looks better.", decided: Timestamp(milliseconds: 0)))
    let green = perfkit.run(words)
    #expect(green.status == .done, "\(green.output)\(green.errors)")
    #expect(green.output.contains("accepted by decision 1"))
  }
}
