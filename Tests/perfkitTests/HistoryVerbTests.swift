import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// The history of a metric, with made-up runs of real commits.
struct HistoryVerbTests {
  private let repository: TestRepository

  init() throws { repository = try TestRepository() }

  private func save(_ commit: String, _ value: Double, hour: Int) throws {
    let definition = try #require(MetricCatalog.standard["cpu.total"])
    try RunStore(path: repository.root + "/.perfkit/perfkit.sqlite").save(
      Run(
        id: "r00000000\(100 + hour)", scenario: "work", variant: "default", label: nil,
        started: Timestamp(milliseconds: Int64(hour) * 3_600_000), seed: 1, parameters: [:],
        command: ["run", "--all", "work"],
        environment: Environment(facts: ["commit": commit, "dirty": "false"]),
        definitions: [definition],
        launches: [
          Launch(
            index: 0, isWarmup: false, status: .completed, offset: 0,
            metrics: ["cpu.total": value * 1e6])
        ], budgets: [], profile: nil, warnings: [], wasInterrupted: false))
  }

  /// Makes twelve commits, whose last six are slower; they are measured from the newest to the oldest.
  private func commits() throws -> [String] {
    let commits = try (0..<12).map { index in
      try repository.write("step", "\(index)")
      try repository.commit("Step \(index)")
      return try repository.git("rev-parse", "HEAD")
    }
    for (index, commit) in commits.enumerated() {
      try save(commit, (index < 6 ? 40 : 60) + Double((index * 7) % 5) / 10, hour: 20 - index)
    }
    return commits
  }

  @Test func `a history follows the order of commits and names the commit of a change`() throws {
    let commits = try commits()
    let result = repository.perfkit(
      "history", "work", "--metric", "cpu.total", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    let json = try result.json()
    let points = try #require(json["points"] as? [[String: Any]])
    #expect(points.compactMap { $0["commit"] as? String } == commits)
    #expect(points[3]["summary"] as? String == "Step 3")
    let change = try #require((json["changes"] as? [[String: Any]])?.first)
    #expect(change["from"] as? String == commits[5])
    #expect(change["to"] as? String == commits[6])
    #expect(change["verdict"] as? String == "regressed")
    #expect(change["unmeasured"] as? Int == 0)
    let text = repository.perfkit("history", "work", "--metric", "cpu.total").output
    #expect(text.contains("Step 11"))
    #expect(text.contains("▁"))
  }

  @Test func `the metrics that are worse than before are listed over all scenarios`() throws {
    let commits = try commits()
    let result = repository.perfkit("history", "--regressions", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    let rows = try #require(try result.json()["regressions"] as? [[String: Any]])
    #expect(rows.count == 1)
    #expect(rows.first?["subject"] as? String == "work:default")
    #expect(rows.first?["metric"] as? String == "cpu.total")
    #expect(rows.first?["commit"] as? String == commits[6])
    // 40 ms became 60 ms.
    #expect(try abs(#require(rows.first?["change"] as? Double) - 0.5) < 0.01)
    #expect(repository.perfkit("history", "--regressions").output.contains("Step 6"))
    let none = repository.perfkit("history", "--regressions", "--metric", "wall")
    #expect(none.status == .failed && none.errors.contains("no run matches"))
  }

  @Test func `history draws the same chart as the verb chart if the file ends in svg`() throws {
    _ = try commits()
    let direct = repository.perfkit(
      "history", "work", "--metric", "cpu.total", "-o", "a.svg")
    #expect(direct.status == .done, "\(direct.errors)")
    let other = repository.perfkit(
      "chart", "work:default", "--kind", "history", "--metric", "cpu.total", "-o", "b.svg")
    #expect(other.status == .done, "\(other.errors)")
    let images = try ["a.svg", "b.svg"].map {
      try String(contentsOfFile: "\(repository.root)/\($0)", encoding: .utf8)
    }
    #expect(images[0].contains("cpu.total"))
    #expect(images[0] == images[1])
    #expect(repository.perfkit("chart", "--kind", "history", "-o", "c.svg").status == .usage)
  }

  @Test func `unknown names of a history are reported, and a short history is marked`() throws {
    #expect(
      repository.perfkit("history", "work", "--metric", "wall").errors
        .contains("there are no runs yet"))
    try save(try repository.git("rev-parse", "HEAD"), 40, hour: 1)
    func errors(_ words: String..., isUsage: Bool = false) -> String {
      let result = repository.perfkit.run(["history"] + words)
      #expect(result.status == (isUsage ? .usage : .failed))
      return result.errors
    }
    #expect(errors("wrok", "--metric", "cpu.total").contains("did you mean 'work'?"))
    #expect(errors("work", "--metric", "cpu.totla").contains("did you mean 'cpu.total'?"))
    #expect(errors("work", "--metric", "cpu").contains("did you mean 'cpu.total'?"))
    #expect(
      errors("work", "--metric", "cpu.total", "--variant", "naive")
        .contains("There are runs of default"))
    #expect(errors("work", isUsage: true).contains("--metric"))
    #expect(
      errors("work", "--metric", "cpu.total", "--limit", "0", isUsage: true)
        .contains("from 1 to 2000"))
    let short = repository.perfkit("history", "work", "--metric", "cpu.total")
    #expect(short.status == .done)
    #expect(short.output.contains("a change of cpu.total needs 10 commits, the history has 1."))
  }

  @Test func `a history outside of a repository follows the time of the runs`() throws {
    let commits = try commits()
    try FileManager.default.removeItem(atPath: repository.root + "/.git")
    let result = repository.perfkit("history", "work", "--metric", "cpu.total", "--format", "csv")
    let shown = result.output.split(separator: "\n").dropFirst().map { $0.prefix(40) }
    #expect(shown == commits.reversed().map { $0.prefix(40) })
  }
}
