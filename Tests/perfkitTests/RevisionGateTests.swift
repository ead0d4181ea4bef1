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
  private func verdict(_ repository: TestRepository) throws -> [String: Any] {
    let data = try Data(
      contentsOf: URL(fileURLWithPath: repository.root + "/.perfkit/verdict.json"))
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

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
      "gate", "--junit", "junit.xml", "--comment", "comment.md", "--code-quality", "quality.json",
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
    let results = try #require(verdict(repository)["results"] as? [[String: Any]])
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
      "gate", "--no-profile", "--junit", "junit.xml", "--comment", "comment.md", "--github")
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
    let later = repository.perfkit("gate", "--no-profile", "--against", "main")
    #expect(later.status == .done, "\(later.output)\(later.errors)")
    #expect(later.output.contains("accepted by decision 1"))

    try repository.program(decode: 20, layout: 20)
    let green = repository.perfkit("gate")
    #expect(green.status == .done, "\(green.output)\(green.errors)")
    #expect(try verdict(repository)["status"] as? Int == 0)
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
    let result = repository.perfkit("gate", "--no-profile", "--max-pairs", "11")
    #expect(![.done, .failed, .usage].contains(result.status), "\(result.output)\(result.errors)")
    #expect(
      result.output.replacing("\n", with: " ")
        .contains("it has no budgets, and there is no change to compare"), "\(result.output)")
  }

  @Test func `the result of a gate names the launch that crashed at once`() throws {
    let repository = try TestRepository()
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.write("work.c", "#include <stdlib.h>\nint main(void) { abort(); }\n")
    let result = repository.perfkit("gate", "--no-profile", "--comment", "comment.md")
    #expect(result.status == .failed, "\(result.output)\(result.errors)")
    let comment = try String(contentsOfFile: repository.root + "/comment.md", encoding: .utf8)
    #expect(comment.contains("launch 1 of the candidate crashed (SIGABRT)"), "\(comment)")
    #expect(!comment.contains("it was stopped"))
  }

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
        "diff", "--scenario", "nothing", "--variant", "a", "--variant", "b", "--no-profile",
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

  @Test func `a scenario that the base lacks is judged by its budgets alone`() throws {
    let repository = try TestRepository()
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.scenario("later", budget: "max(wall) <= 1 ns")
    let result = repository.perfkit("gate", "later", "--no-profile")
    #expect(result.status == .gateFailed)
    #expect(result.output.contains("work") == false)
    let results = try #require(verdict(repository)["results"] as? [[String: Any]])
    #expect((results.first?["note"] as? String)?.hasPrefix("new: ") == true)
  }

  @Test func `a dry run prints the plan without building`() throws {
    let repository = try TestRepository(
      gate: "gate: { max_time: 10 min, quick: true, scenarios: [work] }\ncontrols: [still]")
    let result = repository.perfkit("gate", "--dry-run", "--format", "json")
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
      let result = repository.perfkit("gate", "--dry-run", "--format", "json")
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
      repository.perfkit("gate", "--dry-run").output.replacing("\n", with: " ").contains(
        "at most 5.5 h, builds not counted (work was never measured"))
    try repository.build()
    _ = repository.perfkit("run", "work", "--no-report", "--no-profile", "--iterations", "3")
    let known = try plan()
    #expect(known.unknown.isEmpty && known.time < bound.time)
    // A comparison predicts the time better than a run and is preferred.
    _ = repository.perfkit(
      "diff", "--scenario", "work", "--no-report", "--no-profile", "--max-time", "1ns")
    let paired = try plan()
    #expect(paired.unknown.isEmpty && paired.time != known.time)
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
        "gate", "--against", "HEAD", "--no-profile", "--max-pairs", "11")
      #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
      #expect(!result.errors.contains("continuing"))
    }
  }

  @Test func `failed launches of the candidate are reported in all files of a gate`() throws {
    let repository = try TestRepository()
    // The first one, two or four launches of the candidate are thrown away, more if they are short.
    try repository.failingProgram("work.c", launch: 8)
    let result = repository.perfkit(
      "gate", "--against", "HEAD", "--no-profile", "--max-pairs", "11", "--junit", "junit.xml",
      "--comment", "comment.md", "--github")
    // Ten of eleven pairs are complete, and the first look needs eleven.
    #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
    let file = { (name: String) in
      try String(contentsOfFile: "\(repository.root)/\(name)", encoding: .utf8)
    }
    let loss = #/1 of \d+ launches of the candidate did not complete/#
    let results = try #require(verdict(repository)["results"] as? [[String: Any]])
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
    let plan = repository.perfkit("gate", "--dry-run", "--format", "json")
    #expect(plan.status == .done && plan.output.contains(#""work""#), "\(plan.errors)")
    let red = repository.perfkit("gate", "--no-profile", "--github")
    #expect(red.status == .gateFailed, "\(red.errors)")
    #expect(red.errors.contains("::error file=performance/scenarios/work.yml,"), "\(red.errors)")
  }

  @Test func `a name of both a baseline and a revision is refused as ambiguous`() throws {
    let repository = try TestRepository()
    try repository.build()
    _ = repository.perfkit("run", "work", "--no-report", "--iterations", "1")
    _ = repository.perfkit("baseline", "save", "main", "latest")
    let result = repository.perfkit("gate", "--against", "main")
    #expect(result.status == .usage)
    #expect(result.errors.contains("baseline:main or --against commit:main"))
  }

  /// The store and git compare names byte by byte.
  @Test func `two Unicode normal forms of a name are two names`() throws {
    let repository = try TestRepository()
    try repository.build()
    _ = repository.perfkit("run", "work", "--no-report", "--no-profile", "--iterations", "1")
    let (branch, baseline) = ("caf\u{E9}", "cafe\u{301}")
    try repository.git("branch", branch)
    #expect(repository.perfkit("baseline", "save", baseline, "latest").status == .done)
    func plan(_ target: String) throws -> String? {
      let result = repository.perfkit(
        "gate", "--dry-run", "--against", target, "--format", "json")
      #expect(result.status == .done, "\(result.errors)")
      return try result.json()["against"] as? String
    }
    #expect(try plan(branch) == branch)
    #expect(try plan(baseline)?.hasPrefix("baseline '") == true)
  }

  @Test func `an unknown name is reported as neither a revision nor a baseline`() throws {
    let repository = try TestRepository()
    try repository.build()
    _ = repository.perfkit("run", "work", "--no-report", "--no-profile", "--iterations", "1")
    _ = repository.perfkit("baseline", "save", "five", "latest")
    let typo = repository.perfkit("gate", "--dry-run", "--against", "fiv")
    #expect(typo.status == .failed)
    #expect(typo.errors.contains("there is no revision 'fiv'"), "\(typo.errors)")
    #expect(typo.errors.contains("There is no baseline 'fiv' either; did you mean 'five'?"))
    // A store that cannot be read may contain the baseline.
    try repository.write("broken.sqlite", String(repeating: "no database ", count: 100))
    let broken = repository.perfkit(
      "gate", "--dry-run", "--against", "five", "--store", "broken.sqlite")
    #expect(broken.status == .failed)
    #expect(broken.errors.contains("broken.sqlite"), "\(broken.errors)")
    #expect(!broken.errors.contains("there is no revision"))
  }

  @Test func `a gate without a target branch fails`() throws {
    let repository = try TestRepository()
    try repository.git("branch", "--move", "trunk")
    let result = repository.perfkit("gate")
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot tell the target branch"))
    #expect(try verdict(repository)["status"] as? Int == 2)
  }

  @Test func `a base that does not build fails the gate with the end of its log`() throws {
    let repository = try TestRepository()
    try repository.write("work.c", "int main(void) { return missing; }\n")
    try repository.commit("Break it")
    try repository.program(decode: 20, layout: 20)
    let result = repository.perfkit(
      "gate", "--against", "HEAD", "--junit", "junit.xml", "--comment", "comment.md",
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
      "gate", "--no-profile", "--max-time", "1ns", "--comment", "comment.md")
    let commit = try repository.git("rev-parse", "HEAD").prefix(10)
    let note = "Both sides are commit \(commit): there is no change to compare"
    // One pair decides nothing.
    #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
    #expect(result.output.replacing("\n", with: " ").contains(note), "\(result.output)")
    #expect((try verdict(repository)["note"] as? String)?.hasPrefix(note) == true)
    let comment = try String(contentsOfFile: repository.root + "/comment.md", encoding: .utf8)
    #expect(comment.contains(note))
  }

  @Test(arguments: [
    (["--scenarios", "../elsewhere"], "--scenarios ../elsewhere is outside of the repository"),
    (["--scenarios", "elsewhere"], "elsewhere"),
    (["--against", "mian"], "did you mean 'main'?"),
  ])
  func `a dry run refuses what a gate of revisions refuses`(
    words: [String], message: String
  ) throws {
    let repository = try TestRepository()
    let gate = repository.perfkit.run(["gate"] + words)
    let plan = repository.perfkit.run(["gate", "--dry-run"] + words)
    #expect([.failed, .usage].contains(gate.status))
    #expect(gate.errors.contains(message), "\(gate.errors)")
    // The gate may have printed its plan before.
    #expect(plan.status == gate.status && gate.errors.hasSuffix(plan.errors), "\(plan.output)")
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/.perfkit/builds"))
  }

  @Test func `a dry run without a target branch or outside of a checkout fails`() throws {
    let repository = try TestRepository()
    try repository.git("branch", "--move", "trunk")
    let gate = repository.perfkit("gate", "--dry-run")
    #expect(gate.status == .failed)
    #expect(gate.errors.contains("cannot tell the target branch"), "\(gate.output)")
    let perfkit = try TestCommand()
    try perfkit.scenario(
      "quick", "scenario: quick\nsummary: A command.\ncommand: [/bin/true]\nvariants: { plain: {} }"
    )
    let outside = perfkit("gate", "--dry-run")
    #expect(outside.status == .failed)
    #expect(outside.errors.contains("is in no git checkout"), "\(outside.errors)")
  }

  @Test func `a dry run of an unknown scenario suggests the nearest name`() throws {
    let repository = try TestRepository()
    let result = repository.perfkit("gate", "wrok", "--dry-run")
    #expect(result.status == .failed)
    #expect(result.errors.contains("did you mean 'work'?"))
  }

  @Test func `a decision accepts a regression against a baseline`() throws {
    let repository = try TestRepository()
    let perfkit = repository.perfkit
    try repository.build()
    for _ in 0..<5 {
      #expect(perfkit("run", "work", "--no-report", "--no-profile").status == .done)
    }
    #expect(
      perfkit("baseline", "save", "five", "latest", "latest~1", "latest~2", "latest~3", "latest~4")
        .status == .done)
    // Fifteen times the work exceeds the spread of five sessions on any machine.
    try repository.program(decode: 300, layout: 300)
    try repository.build()
    let words = ["gate", "work", "--no-profile", "--against", "five"]
    let red = perfkit.run(words)
    #expect(red.status == .gateFailed, "\(red.output)\(red.errors)")

    // A decision on the measured comparison is added to the ledger.
    let results = try #require(verdict(repository)["results"] as? [[String: Any]])
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
