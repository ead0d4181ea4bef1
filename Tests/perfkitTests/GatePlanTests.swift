import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The plans of gates against revisions, and the names that they compare with.
@Suite(.serialized)
struct GatePlanTests {
  @Test func `a dry run prints the plan without building`() throws {
    let repository = try TestRepository(
      gate: "gate: { max_time: 10 min, quick: true, scenarios: [work] }\ncontrols: [still]")
    let result = repository.perfkit("gate", "--all", "--dry-run", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    let plan = try result.json()
    #expect(plan["scenarios"] as? [String] == ["work"])
    #expect(plan["controls"] as? [String] == ["still"])
    #expect(plan["max_time"] as? Int == 600_000_000_000)
    #expect(plan["quick"] as? Bool == true)
    // Two pairs of 4 + 4 launches of 60 s are measured even if no time is left.
    #expect(plan["worst_case"] as? Double == 600e9 + 2 * 8 * 60e9)
    #expect(plan["worst_case_by_timeout"] as? [String] == ["work"])
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/.perfkit/builds"))
  }

  @Test func `the longest time is estimated from earlier launches, else from timeouts`() throws {
    let repository = try TestRepository()
    func plan() throws -> (time: Double, unknown: [String]) {
      let result = repository.perfkit("gate", "--all", "--dry-run", "--format", "json")
      let plan = try result.json()
      return (
        try #require(plan["worst_case"] as? Double),
        try #require(plan["worst_case_by_timeout"] as? [String])
      )
    }
    // 41 pairs of 4 + 4 launches of 60 s.
    let bound = try plan()
    #expect(bound.time == 41 * 8 * 60e9 && bound.unknown == ["work"])
    #expect(
      repository.perfkit("gate", "--all", "--dry-run").output.replacing("\n", with: " ").contains(
        "its time is unknown, since work was never measured here: at most 5.5 h if each launch took its "
          + "whole timeout, builds not counted"))
    #expect(
      repository.perfkit("gate", "--all", "--dry-run", "--count").prints(
        "whole timeout, builds and launches under valgrind not counted"))
    #expect(
      repository.perfkit("gate", "--dry-run", "--max-time", "5s").prints(
        "no pair starts after 5 s, except the first of each scenario; the time of a pair is unknown, "
          + "since work was never measured here, builds not counted"))
    try repository.build()
    _ = repository.perfkit(
      "run", "--all", "work", "--no-report", "--no-profile", "--iterations", "3")
    let known = try plan()
    #expect(known.unknown.isEmpty && known.time < bound.time)
    // A comparison predicts the time better than a run and is preferred.
    _ = repository.perfkit(
      "diff", "--all", "--scenario", "work", "--no-report", "--no-profile", "--max-time", "1ns",
      "--measure-same")
    let paired = try plan()
    #expect(paired.unknown.isEmpty && paired.time != known.time)
  }

  @Test func `a name of both a baseline and a revision is refused as ambiguous`() throws {
    let repository = try TestRepository()
    try repository.build()
    _ = repository.perfkit("run", "--all", "work", "--no-report", "--iterations", "1")
    _ = repository.perfkit("baseline", "save", "main", "latest")
    let result = repository.perfkit("gate", "--all", "--against", "main")
    #expect(result.status == .usage)
    #expect(result.errors.contains("baseline:main or --against commit:main"))
  }

  /// The store and git compare names byte by byte.
  @Test func `two Unicode normal forms of a name are two names`() throws {
    let repository = try TestRepository()
    try repository.build()
    _ = repository.perfkit(
      "run", "--all", "work", "--no-report", "--no-profile", "--iterations", "1")
    let (branch, baseline) = ("caf\u{E9}", "cafe\u{301}")
    try repository.git("branch", branch)
    #expect(repository.perfkit("baseline", "save", baseline, "latest").status == .done)
    func plan(_ target: String) throws -> String? {
      let result = repository.perfkit(
        "gate", "--all", "--dry-run", "--against", target, "--format", "json")
      #expect(result.status == .done, "\(result.errors)")
      return try result.json()["against"] as? String
    }
    #expect(try plan(branch) == branch)
    #expect(try plan(baseline)?.hasPrefix("baseline '") == true)
  }

  @Test func `an unknown name is reported as neither a revision nor a baseline`() throws {
    let repository = try TestRepository()
    try repository.build()
    _ = repository.perfkit(
      "run", "--all", "work", "--no-report", "--no-profile", "--iterations", "1")
    _ = repository.perfkit("baseline", "save", "five", "latest")
    let typo = repository.perfkit("gate", "--all", "--dry-run", "--against", "fiv")
    #expect(typo.status == .failed)
    #expect(typo.errors.contains("there is no revision 'fiv'"), "\(typo.errors)")
    #expect(typo.errors.contains("There is no baseline 'fiv' either; did you mean 'five'?"))
    // A store that cannot be read may contain the baseline.
    try repository.write("broken.sqlite", String(repeating: "no database ", count: 100))
    let broken = repository.perfkit(
      "gate", "--all", "--dry-run", "--against", "five", "--store", "broken.sqlite")
    #expect(broken.status == .failed)
    #expect(broken.errors.contains("broken.sqlite"), "\(broken.errors)")
    #expect(!broken.errors.contains("there is no revision"))
  }

  @Test(arguments: [
    (["--scenarios", "../elsewhere"], "--scenarios ../elsewhere cannot be used here"),
    (["--scenarios", "elsewhere"], "elsewhere"),
    (["--against", "mian"], "did you mean 'main'?"),
  ])
  func `a dry run refuses what a gate of revisions refuses`(
    words: [String], message: String
  ) throws {
    let repository = try TestRepository()
    let gate = repository.perfkit.run(["gate"] + words)
    let plan = repository.perfkit.run(["gate", "--all", "--dry-run"] + words)
    #expect([.failed, .usage].contains(gate.status))
    #expect(gate.errors.contains(message), "\(gate.errors)")
    // The gate may have printed its plan before.
    #expect(plan.status == gate.status && gate.errors.hasSuffix(plan.errors), "\(plan.output)")
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/.perfkit/builds"))
  }

  @Test func `a dry run without a target branch or outside of a checkout fails`() throws {
    let repository = try TestRepository()
    try repository.git("branch", "--move", "trunk")
    let gate = repository.perfkit("gate", "--all", "--dry-run")
    #expect(gate.status == .failed)
    #expect(gate.errors.contains("cannot find the target branch"), "\(gate.output)")
    let perfkit = try TestCommand()
    try perfkit.scenario(
      "quick", "scenario: quick\nsummary: A command.\ncommand: [/bin/true]\nvariants: { plain: {} }"
    )
    let outside = perfkit("gate", "--all", "--dry-run")
    #expect(outside.status == .failed)
    #expect(outside.errors.contains("is not in a git checkout"), "\(outside.errors)")
  }

  @Test func `a dry run of an unknown scenario suggests the nearest name`() throws {
    let repository = try TestRepository()
    let result = repository.perfkit("gate", "--all", "wrok", "--dry-run")
    #expect(result.status == .failed)
    #expect(result.errors.contains("did you mean 'work'?"))
  }
}
