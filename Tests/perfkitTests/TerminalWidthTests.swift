import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// The width of texts in a terminal of 80 columns, with names that are longer than their columns.
struct TerminalWidthTests {
  /// A name without a space that is longer than a line.
  private static let name = "covers-" + String(repeating: "of-books-", count: 9) + "end"

  /// The id of a run with long names.
  private static let run = "r1m8dhkrn0xcq7"

  /// Returns a repository with long names in its scenarios, commits and store.
  private func repository() throws -> TestRepository {
    let repository = try TestRepository()
    try repository.write(
      "Scenarios/\(Self.name).yml",
      """
      scenario: \(Self.name)
      summary: Reads \(Self.name) and \(Self.name).
      command: [/bin/true]
      variants: { \(Self.name): {}, other: {} }
      default_variant: other
      """)
    let store = try RunStore(path: repository.root + "/.perfkit/perfkit.sqlite")
    for index in 0..<12 {
      try repository.write("step", "\(index)")
      try repository.commit("Step \(index) of \(Self.name)")
      // The last six commits are slower by half, which is a change of the history.
      let value = (index < 6 ? 40 : 60) + Double(index * 7 % 5) / 10
      try store.save(
        Run(
          id: "r00000000\(100 + index)", scenario: "work", variant: "default", label: nil,
          started: Timestamp(milliseconds: Int64(index) * 3_600_000), seed: 1, parameters: [:],
          command: ["run", "work"],
          environment: Environment(facts: [
            "commit": try repository.git("rev-parse", "HEAD"), "dirty": "false",
          ]),
          definitions: [try #require(MetricCatalog.standard["cpu.total"])],
          launches: [
            Launch(
              index: 0, isWarmup: false, status: .completed, offset: 0,
              metrics: ["cpu.total": value * 1e6])
          ], budgets: [], profile: nil, warnings: [], wasInterrupted: false))
    }
    try fill(store)
    return repository
  }

  /// Adds two runs with long names, their comparison, a decision and a baseline.
  private func fill(_ store: RunStore) throws {
    let runs = [Self.run, "r1m8dhkrn0xdq7"].map { id in
      SampleRuns.run(
        variant: Self.name, scenario: Self.name, launches: 6, samples: 60, fling: 100,
        label: Self.name, id: id,
        statuses: [2: .crashed(signal: 11), 5: .failed("it printed \(Self.name)")],
        wasInterrupted: true)
    }
    for run in runs { try store.save(run) }
    try store.save(
      StoredComparison(
        id: "c1m8dhkrn0xeq7", subject: Self.name, started: SampleRuns.firstStart,
        design: ComparisonDesign(
          seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy(), launchesPerPair: 4))
    )
    try store.append(
      .init(base: runs[0].id, candidate: runs[1].id), toComparison: "c1m8dhkrn0xeq7")
    _ = try store.append(
      Decision(
        Comparison(
          id: "c1m8dhkrn0xeq7", base: .init(runs[0]), candidate: .init(runs[1]), alpha: 0.02,
          seed: 1,
          metrics: [], functions: [], environmentDifferences: [], warnings: [],
          verdict: .inconclusive),
        sentence: "Improved.", outcome: .kept, hypothesis: "", change: "",
        because: "It reads \(Self.name).", decided: SampleRuns.firstStart))
    try store.saveBaseline(
      Self.name, runs: runs.map(\.id), saved: SampleRuns.firstStart, isAdding: false)
  }

  @Test func `texts with long names fit into 80 columns`() throws {
    let repository = try repository()
    for words in [
      ["doctor"], ["history", "work", "--metric", "cpu.total"], ["history", "--regressions"],
      ["store", "check"], ["show", Self.run], ["show", Self.run, "--brief"],
      ["list", "scenarios"], ["list", "variants"], ["list", "runs"], ["list", "comparisons"],
      ["list", "baselines"], ["list", "decisions"], ["baseline", "list"],
    ] {
      let result = repository.perfkit.run(words)
      #expect(!result.output.isEmpty, "\(words): \(result.errors)")
      #expect(result.wideLines == [], "\(words)")
    }
  }

  @Test func `texts on PerfKit's own scenarios and case studies fit into 80 columns`() throws {
    let perfkit = try TestCommand()
    let scenarios = DocumentFile.root.appendingPathComponent("Scenarios").path
    try FileManager.default.removeItem(atPath: perfkit.folder("Scenarios"))
    try FileManager.default.createSymbolicLink(
      atPath: perfkit.folder("Scenarios"), withDestinationPath: scenarios)
    let studies = try FileManager.default.contentsOfDirectory(atPath: "\(scenarios)/claims")
      .filter { $0.hasSuffix(".yml") }.map { ["show", "study:\($0.dropLast(4))"] }
    #expect(studies.count > 3)
    let lists = ["scenarios", "variants", "metrics", "workloads"].map { ["list", $0] }
    for words in lists + [["list", "workloads", "--verbose"]] + studies {
      let result = perfkit.run(words)
      #expect(result.status == .done, "\(words): \(result.errors)")
      #expect(result.output.split(separator: "\n").count > 5, "\(words)")
      #expect(result.wideLines == [], "\(words)")
    }
  }
}
