import Foundation
import PerfGate
import PerfModel
import PerfRunner
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// Gates of a work tree against the merge base with its target branch.
@Suite(.serialized)
struct RevisionGateTests {
  @Test func `a slowdown fails the gate and names the function, and its revert passes`()
    throws
  {
    let repository = try TestRepository()
    // The slowdown of 50 % exceeds this margin, and no change stays within it on a disturbed machine.
    try repository.scenario("work", budget: "wall <= 60 s", margin: "25%")
    try repository.commit("Margin")
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.program(decode: 20, layout: 40)
    let red = repository.perfkit(
      "gate", "--all", "--junit", "junit.xml", "--comment", "comment.md", "--code-quality",
      "quality.json",
      "--github")
    #expect(red.status == .gateFailed, "\(red.errors)")
    #expect(red.output.contains("The gate failed: work:default (failed)."))
    #expect(red.output.contains("lay_out"))
    let file = { (name: String) in
      try String(contentsOfFile: "\(repository.root)/\(name)", encoding: .utf8)
    }
    #expect(try file("junit.xml").contains("failures=\"1\""))
    #expect(try file("comment.md").hasPrefix("<!-- perfkit-gate -->\n### ❌ The gate failed"))
    #expect(try file("comment.md").contains("| work:default"))
    #expect(try file("quality.json").contains("\"Scenarios/work.yml\""))
    #expect(
      red.errors.contains("::error file=Scenarios/work.yml,title=perfkit%3A work%3Adefault::"))
    let results = try #require(repository.verdict()["results"] as? [[String: Any]])
    let comparison = try #require(results.first?["comparison"] as? [String: Any])
    #expect((comparison["sentence"] as? String)?.contains("lay_out") == true)

    // A decision that cannot be written is not stored, and --dry-run needs --revisit.
    let lost = repository.perfkit(
      "decide", "latest", "--keep", "--because", "It looks better.", "--ledger", "work.c")
    #expect(lost.status == .failed)
    #expect(lost.errors.contains("work.c"))
    let dry = repository.perfkit(
      "decide", "latest", "--keep", "--because", "It looks better.", "--dry-run")
    #expect(dry.status == .usage)
    #expect(dry.errors.contains("--dry-run needs --revisit"))
    let engine = repository.perfkit(
      "decide", "latest", "--keep", "--because", "It looks better.", "--engine", "perf")
    #expect(engine.status == .usage)
    #expect(engine.errors.contains("--engine needs --revisit"))
    #expect(!repository.perfkit("list", "decisions").output.contains("It looks better."))

    // The regression of the new layout is accepted, and no longer fails the gate.
    let decided = repository.perfkit(
      "decide", "latest", "--keep", "--change", "A new layout", "--because", "It looks better.")
    #expect(decided.output == "Reports/decisions/0001-work-kept.md\n", "\(decided.errors)")
    let page = try file("Reports/decisions/0001-work-kept.md")
    #expect(page.hasPrefix("# 1. work: A new layout\n"))
    #expect(page.contains("**Kept.**") && page.contains("| cpu.total |"))
    #expect(repository.perfkit("list", "decisions").output.contains("It looks better."))
    let accepted = repository.perfkit(
      "gate", "--all", "--no-profile", "--junit", "junit.xml", "--comment", "comment.md", "--github"
    )
    #expect(accepted.status == .done, "\(accepted.output)")
    #expect(accepted.output.contains("accepted by decision 1"))
    #expect(!accepted.output.contains("Regressed:"))
    #expect(accepted.errors.contains("::notice ") && !accepted.errors.contains("::error "))
    #expect(try file("junit.xml").contains("failures=\"0\""))
    #expect(try file("comment.md").contains("- ☑️ **work:default**: Accepted: cpu.total"))

    // Another store knows the decision by its page.
    let elsewhere = ["--store", "elsewhere.sqlite"]
    let list = repository.perfkit.run(["list", "decisions"] + elsewhere)
    #expect(list.output.contains("It looks better."))
    let plan = repository.perfkit.run(["decide", "--revisit", "--dry-run"] + elsewhere)
    #expect(plan.status == .done, "\(plan.errors)")
    #expect(plan.output.contains("work"))

    // A base that has advanced still lacks the page, which is committed with the change.
    try repository.git("add", "--force", "Reports/decisions")
    try repository.commit("New layout")
    try repository.git("checkout", "--quiet", "main")
    try repository.write("NOTES.md", "Nothing to build.\n")
    try repository.commit("Notes")
    try repository.git("checkout", "--quiet", "change")
    let later = repository.perfkit("gate", "--all", "--no-profile", "--against", "main")
    #expect(later.status == .done, "\(later.output)\(later.errors)")
    #expect(later.output.contains("accepted by decision 1"))

    try repository.program(decode: 20, layout: 20)
    let green = repository.perfkit("gate")
    #expect(green.status == .done, "\(green.output)\(green.errors)")
    #expect(try repository.verdict()["status"] as? Int == 0)
  }

  @Test func `a gate of a commit with itself and without budgets does not pass`() throws {
    let repository = try TestRepository()
    try repository.write(
      "Scenarios/work.yml",
      """
      scenario: work
      summary: A program that works.
      command: [../bin/work]
      warmup: 0
      gate: { margin: 25%, metrics: { cpu.total: {} } }
      """)
    try repository.commit("No budgets")
    let result = repository.perfkit("gate", "--all", "--no-profile", "--max-pairs", "11")
    #expect(![.done, .failed, .usage].contains(result.status), "\(result.output)\(result.errors)")
    #expect(
      result.output.replacing("\n", with: " ")
        .contains("it has no budgets, and there is no change to compare"), "\(result.output)")
  }

  @Test func `the result of a gate names the launch that crashed at once`() throws {
    let repository = try TestRepository()
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.write("work.c", "#include <stdlib.h>\nint main(void) { abort(); }\n")
    let result = repository.perfkit("gate", "--all", "--no-profile", "--comment", "comment.md")
    #expect(result.status == .failed, "\(result.output)\(result.errors)")
    let comment = try String(contentsOfFile: repository.root + "/comment.md", encoding: .utf8)
    #expect(comment.contains("launch 0 of the candidate crashed (SIGABRT)"), "\(comment)")
    #expect(comment.contains("perfkit run --warmup 0 work\\` shows where it crashes"), "\(comment)")
    #expect(!comment.contains("it was stopped"))
  }

  @Test func `a scenario that the base lacks is judged by its budgets alone`() throws {
    let repository = try TestRepository()
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.scenario("later", budget: "max(wall) <= 1 ns")
    let result = repository.perfkit("gate", "--all", "later", "--no-profile")
    #expect(result.status == .gateFailed)
    #expect(result.output.contains("work") == false)
    let results = try #require(repository.verdict()["results"] as? [[String: Any]])
    #expect((results.first?["note"] as? String)?.hasPrefix("new: ") == true)
  }

  @Test func `an undecided gate is measured again and stays undecided`() throws {
    let repository = try TestRepository()
    try repository.program(decode: 1, layout: 1)
    let path = "Scenarios/work.yml"
    let scenario = try String(contentsOfFile: "\(repository.root)/\(path)", encoding: .utf8)
    // Allocations are not counted, so that the first look ends the comparison as inconclusive.
    try repository.write(path, scenario.replacing("cpu.total", with: "alloc.count"))
    try repository.commit("Gate by allocations")
    try repository.program(decode: 1, layout: 2)
    for _ in 1...3 {
      let result = repository.perfkit(
        "gate", "--all", "--against", "HEAD", "--no-profile", "--max-pairs", "11")
      #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
      #expect(!result.errors.contains("continuing"))
    }
  }

  @Test func `failed launches of the candidate are reported in all files of a gate`() throws {
    let repository = try TestRepository()
    // The first one, two or four launches of the candidate are thrown away, more if they are short.
    try repository.failingProgram("work.c", launch: 8)
    let result = repository.perfkit(
      "gate", "--all", "--against", "HEAD", "--no-profile", "--max-pairs", "11", "--junit",
      "junit.xml",
      "--comment", "comment.md", "--github")
    // Ten of eleven pairs are complete, and the first look needs eleven.
    #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
    let file = { (name: String) in
      try String(contentsOfFile: "\(repository.root)/\(name)", encoding: .utf8)
    }
    let loss = #/1 of \d+ launches of the candidate did not complete/#
    let results = try #require(repository.verdict()["results"] as? [[String: Any]])
    #expect((results.first?["note"] as? String)?.contains(loss) == true)
    #expect(try file("junit.xml").contains(loss))
    let comment = try file("comment.md")
    #expect(comment.contains(loss), "\(comment)")
    #expect(comment.contains("failed launches lack cpu.total, so it cannot be called"))
    #expect(!comment.contains("enough evidence"))
    #expect(
      result.errors.split(separator: "\n").contains {
        $0.hasPrefix("::warning file=Scenarios/work.yml,") && $0.contains(loss)
      }, "\(result.errors)")
  }

  @Test func `a scenario in another folder is measured and named with its path`() throws {
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
    let plan = repository.perfkit("gate", "--all", "--dry-run", "--format", "json")
    #expect(plan.status == .done && plan.output.contains(#""work""#), "\(plan.errors)")
    let red = repository.perfkit("gate", "--all", "--no-profile", "--github")
    #expect(red.status == .gateFailed, "\(red.errors)")
    #expect(red.errors.contains("::error file=performance/scenarios/work.yml,"), "\(red.errors)")
  }

  @Test func `a gate without a target branch fails`() throws {
    let repository = try TestRepository()
    try repository.git("branch", "--move", "trunk")
    let result = repository.perfkit("gate")
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot find the target branch"))
    #expect(try repository.verdict()["status"] as? Int == 2)
  }

  @Test func `a base that does not build fails the gate with the end of its log`() throws {
    let repository = try TestRepository()
    try repository.write("work.c", "int main(void) { return missing; }\n")
    try repository.commit("Break it")
    try repository.program(decode: 20, layout: 20)
    let result = repository.perfkit(
      "gate", "--all", "--against", "HEAD", "--junit", "junit.xml", "--comment", "comment.md",
      "--code-quality", "quality.json", "--github")
    #expect(result.status == .failed)
    #expect(result.errors.contains("does not build"))
    // The files for CI systems contain the same error.
    #expect(result.errors.contains("::error file=perfkit.yml,title=perfkit%3A gate::"))
    let file = { (name: String) in
      try String(contentsOfFile: "\(repository.root)/\(name)", encoding: .utf8)
    }
    #expect(try file("junit.xml").contains("errors=\"1\""))
    let comment = try file("comment.md")
    #expect(comment.hasPrefix("<!-- perfkit-gate -->\n### ❌ The gate could not be judged.\n"))
    #expect(comment.contains("does not build") && comment.contains("missing"))
    #expect(try file("quality.json").contains("\"perfkit.yml\""))
  }

  @Test func `a gate of a commit with itself reports that there is no change to compare`() throws {
    let repository = try TestRepository()
    let result = repository.perfkit(
      "gate", "--all", "--no-profile", "--max-time", "1ns", "--comment", "comment.md")
    let commit = try repository.git("rev-parse", "HEAD").prefix(10)
    let note = "Both sides are commit \(commit): there is no change to compare"
    // The program is the same, and one launch may hold its budget.
    #expect([.done, .inconclusive].contains(result.status), "\(result.output)\(result.errors)")
    #expect(result.output.contains("equivalent: the same program"), "\(result.output)")
    #expect(result.output.replacing("\n", with: " ").contains(note), "\(result.output)")
    #expect((try repository.verdict()["note"] as? String)?.hasPrefix(note) == true)
    let comment = try String(contentsOfFile: repository.root + "/comment.md", encoding: .utf8)
    #expect(comment.contains(note))
  }
}
