import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// Comparisons of two variants of a script, and decisions on them.
@Suite(.serialized)
struct DecideTests {
  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    try perfkit.scenario("work", ScriptedScenario.text())
    try Executable.write("#!/bin/sh\nexit 0\n", to: perfkit.folder("program"))
  }

  @Test func `each scenario of a diff is measured, however short its share of the time`() throws {
    try perfkit.scenario("other", ScriptedScenario.text(named: "other"))
    let result = perfkit(
      "diff", "--all", "--scenario", "work", "--scenario", "other", "--variant", "a", "--variant",
      "b",
      "--no-profile", "--no-report", "--max-time", "1ns", "--exit-code", "--format", "json")
    #expect(result.status == .inconclusive, "\(result.errors)")
    let comparisons = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
    #expect(comparisons.map { $0["pairs"] as? Int } == [1, 1])
  }

  @Test func `the latest comparison is the latest that is not being measured, and is named`() throws
  {
    let diff = [
      "diff", "--all", "--scenario", "work", "--variant", "a", "--variant", "b", "--no-profile",
      "--no-report", "--max-time", "1ns",
    ]
    let decide = ["decide", "latest", "--keep", "--because", "It is so."]
    #expect(perfkit.run(diff).status == .done)
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    let first = try #require(store.comparisons().first)
    // A comparison whose run has not ended is being measured.
    let leg = try #require(first.legs.first)
    let run = try store.run(id: leg.candidate)
    let begun = Run(
      id: "rzzzzzzzzzzz", scenario: run.scenario, variant: run.variant, label: nil,
      started: Timestamp(milliseconds: run.started.milliseconds + 1000), seed: 1, parameters: [:],
      command: [], environment: run.environment, definitions: run.definitions, launches: [],
      budgets: [], profile: nil, warnings: [], wasInterrupted: false)
    try store.begin(begun)
    try store.save(
      StoredComparison(
        id: "czzzzzzzzzzz", subject: "other", started: begun.started, design: first.design))
    try store.append(
      StoredComparison.Leg(base: leg.base, candidate: begun.id), toComparison: "czzzzzzzzzzz")
    let decided = perfkit.run(decide)
    #expect(decided.status == .done, "\(decided.errors)")
    #expect(
      decided.says("latest is comparison \(first.id) of work:b, \(first.started)."),
      "\(decided.errors)")
    // Times have a zone, and numbers are numbers.
    let list = perfkit("list", "runs", "--format", "json")
    let rows = try #require(
      JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]])
    #expect(rows.first?["started"] as? String == begun.started.description)
    #expect(rows.first?["launches"] as? Int == 0)
    #expect(rows.first?["state"] as? String == "running")
    let decisions = perfkit("list", "decisions", "--format", "json").output
    #expect(decisions.contains(#""number" : 1"#), "\(decisions)")
  }

  @Test func `a decision of another store receives a new number and overwrites no page`() throws {
    let diff = [
      "diff", "--all", "--scenario", "work", "--variant", "a", "--variant", "b", "--no-profile",
      "--no-report", "--max-time", "1ns",
    ]
    let decide = ["decide", "latest", "--keep", "--because"]
    let other = ["--store", "other.sqlite"]
    #expect(perfkit.run(diff).status == .done)
    let first = perfkit.run(decide + ["It was first."])
    #expect(first.output == "Reports/decisions/0001-work-kept.md\n", "\(first.errors)")
    #expect(perfkit.run(diff + other).status == .done)
    let second = perfkit.run(decide + ["It came later."] + other)
    #expect(second.output == "Reports/decisions/0002-work-kept.md\n", "\(second.errors)")
    let page = { (name: String) in
      try String(contentsOfFile: perfkit.folder("Reports/decisions/\(name)"), encoding: .utf8)
    }
    #expect(try page("0001-work-kept.md").contains("It was first."))
    #expect(try page("0002-work-kept.md").hasPrefix("# 2. work"))
    let list = perfkit.run(["list", "decisions"] + other).output
    // The other store lacks the first decision, which its page makes known.
    let (one, two) = (list.range(of: "It was first."), list.range(of: "It came later."))
    #expect(try #require(one).lowerBound < #require(two).lowerBound)
  }
}
