import Foundation
import PerfTestSupport
import Testing

@testable import perfkit

/// A gate on what lies in a checkout, against where it left its branch.
@Suite(.serialized)
struct RevisionGateTests {
  private func verdict(_ repository: TestRepository) throws -> [String: Any] {
    let data = try Data(
      contentsOf: URL(fileURLWithPath: repository.root + "/.perfkit/verdict.json"))
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func `a slowdown turns the gate red and names the function, its revert turns it green`()
    throws
  {
    let repository = try TestRepository()
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.program(decode: 20, layout: 40)
    let red = repository.perfkit(
      "gate", "--junit", "junit.xml", "--comment", "comment.md", "--code-quality", "quality.json",
      "--github")
    #expect(red.status == .gateFailed, "\(red.errors)")
    #expect(red.output.contains("The gate is red: work:default (failed)."))
    #expect(red.output.contains("lay_out"))
    let file = { (name: String) in
      try String(contentsOfFile: "\(repository.root)/\(name)", encoding: .utf8)
    }
    #expect(try file("junit.xml").contains("failures=\"1\""))
    #expect(try file("comment.md").hasPrefix("<!-- perfkit-gate -->\n### ❌ The gate is red"))
    #expect(try file("comment.md").contains("| work:default"))
    #expect(try file("quality.json").contains("\"Scenarios/work.yml\""))
    #expect(
      red.errors.contains("::error file=Scenarios/work.yml,title=perfkit%3A work%3Adefault::"))
    let results = try #require(verdict(repository)["results"] as? [[String: Any]])
    let comparison = try #require(results.first?["comparison"] as? [String: Any])
    #expect((comparison["sentence"] as? String)?.contains("lay_out") == true)

    // Somebody wants the new layout all the same: that is written down, and no longer red.
    let decided = repository.perfkit(
      "decide", "latest", "--keep", "--change", "A new layout", "--because", "It looks better.")
    #expect(decided.output == "Reports/decisions/0001-work-kept.md\n", "\(decided.errors)")
    let page = try file("Reports/decisions/0001-work-kept.md")
    #expect(page.hasPrefix("# 1. work: A new layout\n"))
    #expect(page.contains("**Kept.**") && page.contains("| cpu.total |"))
    #expect(repository.perfkit("list", "decisions").output.contains("It looks better."))
    let accepted = repository.perfkit("gate", "--no-profile")
    #expect(accepted.status == .done, "\(accepted.output)")
    #expect(accepted.output.contains("accepted by decision 1"))

    try repository.program(decode: 20, layout: 20)
    let green = repository.perfkit("gate")
    #expect(green.status == .done, "\(green.output)\(green.errors)")
    #expect(try verdict(repository)["status"] as? Int == 0)
  }

  @Test func `a scenario that the base lacks is judged by its budgets`() throws {
    let repository = try TestRepository()
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.scenario("later", budget: "max(wall) <= 1 ns")
    let result = repository.perfkit("gate", "later", "--no-profile")
    #expect(result.status == .gateFailed)
    #expect(result.output.contains("work") == false)
    let results = try #require(verdict(repository)["results"] as? [[String: Any]])
    #expect((results.first?["note"] as? String)?.hasPrefix("new: ") == true)
  }

  @Test func `the plan is said without building anything`() throws {
    let repository = try TestRepository(
      gate: "gate: { max_time: 10 min, quick: true, scenarios: [work] }\ncontrols: [still]")
    let result = repository.perfkit("gate", "--dry-run", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    let plan = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(plan["scenarios"] as? [String] == ["work"])
    #expect(plan["controls"] as? [String] == ["still"])
    #expect(plan["max_time"] as? Int == 600_000_000_000)
    #expect(plan["quick"] as? Bool == true)
    // Two pairs of 4 + 4 launches of 60 s are made however little time there is.
    #expect(plan["worst_case"] as? Double == 600e9 + 2 * 8 * 60e9)
    #expect(plan["worst_case_by_timeout"] as? [String] == ["work"])
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/.perfkit/builds"))
  }

  @Test func `how long it takes at most is told from earlier launches, else from timeouts`() throws
  {
    let repository = try TestRepository()
    func plan() throws -> (time: Double, unknown: [String]) {
      let result = repository.perfkit("gate", "--dry-run", "--format", "json")
      let plan = try #require(
        JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      return (
        try #require(plan["worst_case"] as? Double),
        try #require(plan["worst_case_by_timeout"] as? [String])
      )
    }
    // 41 pairs of 4 + 4 launches of 60 s.
    let bound = try plan()
    #expect(bound.time == 41 * 8 * 60e9 && bound.unknown == ["work"])
    #expect(
      repository.perfkit("gate", "--dry-run").output.replacing("\n", with: " ").contains(
        "at most 5.5 h, builds not counted: a bound"))
    try repository.build()
    _ = repository.perfkit("run", "work", "--no-report", "--no-profile", "--iterations", "3")
    let known = try plan()
    #expect(known.unknown.isEmpty && known.time < bound.time)
    // A comparison is nearer to what will be made than a run: from now on it counts.
    _ = repository.perfkit(
      "diff", "--scenario", "work", "--no-report", "--no-profile", "--max-time", "1ns")
    let paired = try plan()
    #expect(paired.unknown.isEmpty && paired.time != known.time)
  }

  @Test func `an undecided gate is undecided again`() throws {
    let repository = try TestRepository()
    try repository.program(decode: 1, layout: 1)
    let path = "Scenarios/work.yml"
    let scenario = try String(contentsOfFile: "\(repository.root)/\(path)", encoding: .utf8)
    // Nobody counts allocations: they cannot be told, which is clear at the first look.
    try repository.write(path, scenario.replacing("cpu.total", with: "alloc.count"))
    try repository.commit("Gate by allocations")
    try repository.program(decode: 1, layout: 2)
    for _ in 1...3 {
      let result = repository.perfkit(
        "gate", "--against", "HEAD", "--no-profile", "--max-pairs", "11")
      #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
      #expect(!result.errors.contains("going on"))
    }
  }

  @Test func `scenarios may lie in another folder, and are named where they lie`() throws {
    let repository = try TestRepository(gate: "scenarios: performance/scenarios")
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.write(
      "performance/scenarios/work.yml",
      """
      scenario: work
      summary: A budget that cannot hold.
      command: [../../bin/work]
      iterations: 1
      warmup: 0
      budgets: ["max(wall) <= 1 ns"]
      """)
    let plan = repository.perfkit("gate", "--dry-run", "--format", "json")
    #expect(plan.status == .done && plan.output.contains(#""work""#), "\(plan.errors)")
    let red = repository.perfkit("gate", "--no-profile", "--github")
    #expect(red.status == .gateFailed, "\(red.errors)")
    #expect(red.errors.contains("::error file=performance/scenarios/work.yml,"), "\(red.errors)")
  }

  @Test func `a name that is a baseline and a revision must be said more clearly`() throws {
    let repository = try TestRepository()
    try repository.build()
    _ = repository.perfkit("run", "work", "--no-report", "--iterations", "1")
    _ = repository.perfkit("baseline", "save", "main", "latest")
    let result = repository.perfkit("gate", "--against", "main")
    #expect(result.status == .usage)
    #expect(result.errors.contains("baseline:main or commit:main"))
  }

  @Test func `without a branch to compare with the gate is an error, never green`() throws {
    let repository = try TestRepository()
    try repository.git("branch", "--move", "trunk")
    let result = repository.perfkit("gate")
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot tell the target branch"))
    #expect(try verdict(repository)["status"] as? Int == 2)
  }

  @Test func `a base that does not build is an error with its log`() throws {
    let repository = try TestRepository()
    try repository.write("work.c", "int main(void) { return missing; }\n")
    try repository.commit("Break it")
    try repository.program(decode: 20, layout: 20)
    let result = repository.perfkit("gate", "--against", "HEAD")
    #expect(result.status == .failed)
    #expect(result.errors.contains("does not build"))
  }
}
