import Foundation
import PerfModel
import PerfRunner
import PerfStore
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
    // Half as much again is beyond that, and nothing is within it also on a machine that is disturbed.
    try repository.scenario("work", budget: "wall <= 60 s", margin: "25%")
    try repository.commit("Margin")
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

    // What cannot be written down is not decided, and what measures nothing is refused.
    let lost = repository.perfkit(
      "decide", "latest", "--keep", "--because", "It looks better.", "--ledger", "work.c")
    #expect(lost.status == .failed)
    #expect(lost.errors.contains("work.c"))
    let dry = repository.perfkit(
      "decide", "latest", "--keep", "--because", "It looks better.", "--dry-run")
    #expect(dry.status == .usage)
    #expect(dry.errors.contains("--dry-run measures nothing without --revisit"))
    #expect(!repository.perfkit("list", "decisions").output.contains("It looks better."))

    // Somebody wants the new layout all the same: that is written down, and no longer red.
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

    // Where there is no store there are the pages.
    let elsewhere = ["--store", "elsewhere.sqlite"]
    let list = repository.perfkit.run(["list", "decisions"] + elsewhere)
    #expect(list.output.contains("It looks better."))
    let plan = repository.perfkit.run(["decide", "--revisit", "--dry-run"] + elsewhere)
    #expect(plan.status == .done, "\(plan.errors)")
    #expect(plan.output.contains("work"))

    // A base that has moved on lacks the page still, which is committed with the change.
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

  @Test func `a base that has the page of a decision has its change`() throws {
    let repository = try TestRepository()
    let checkout = try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment)
    let before = try repository.git("rev-parse", "HEAD")
    let page = repository.root + "/Reports/decisions/0001-work-kept.md"
    try repository.write("Reports/decisions/0001-work-kept.md", "# 1.\n")
    #expect(!checkout.hasFile(page, in: before))
    try repository.git("add", "--force", "Reports/decisions")
    try repository.commit("Page")
    let after = try repository.git("rev-parse", "HEAD")
    #expect(checkout.hasFile(page, in: after) && !checkout.hasFile(page, in: before))
    #expect(!checkout.hasFile("/elsewhere/0001-work-kept.md", in: after))
    #expect(checkout.isAncestor(before, of: after) && checkout.isAncestor(after, of: after))
    #expect(!checkout.isAncestor(after, of: before))
    #expect(!checkout.isAncestor(String(repeating: "1", count: 40), of: after))
  }

  @Test func `a gate of a commit with itself and without budgets has nothing to check`() throws {
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

  @Test func `a program that crashes at once is named in the gate's result`() throws {
    let repository = try TestRepository()
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.write("work.c", "#include <stdlib.h>\nint main(void) { abort(); }\n")
    let result = repository.perfkit("gate", "--no-profile", "--comment", "comment.md")
    #expect(result.status == .failed, "\(result.output)\(result.errors)")
    let comment = try String(contentsOfFile: repository.root + "/comment.md", encoding: .utf8)
    #expect(comment.contains("launch 1 of the candidate crashed (SIGABRT)"), "\(comment)")
    #expect(!comment.contains("it was stopped"))
  }

  @Test func `what is decided in a folder of the repository is known in all of it`() throws {
    let repository = try TestRepository()
    func context(in place: String, _ said: TestCommand.Said = .init()) -> Context {
      var context = repository.perfkit.context(said)
      context.workingDirectory += place
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
    let said = TestCommand.Said()
    for words in [
      [
        "diff", "--scenario", "nothing", "--variant", "a", "--variant", "b", "--no-profile",
        "--no-report", "--max-time", "1ns", "--quiet", "--format", "json",
      ], ["decide", "latest", "--keep", "--because", "It is nothing."],
    ] {
      #expect(Perfkit.run(words, in: context(in: "/parts", said)) == .done, "\(said.errors)")
    }
    #expect(said.output.hasSuffix("/Reports/decisions/0001-nothing-kept.md\n"), "\(said.output)")
    // A gate elsewhere in it has another store, and finds the page.
    let store = try RunStore(path: repository.root + "/other.sqlite")
    for place in ["", "/parts", "/Scenarios"] {
      let folder = LedgerFolder(in: context(in: place))
      #expect(folder.path.hasSuffix("/my books/Reports/decisions"))
      let ledger = try Ledger.decisions(in: store, and: folder)
      #expect(ledger.map(\.because) == ["It is nothing."], "\(place)")
    }
    // A checkout that is not built by revisions has no such place.
    try FileManager.default.removeItem(atPath: repository.root + "/perfkit.yml")
    #expect(
      LedgerFolder(in: context(in: "/parts")).path == repository.root + "/parts/Reports/decisions")
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
    let plan = try result.json()
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

  @Test func `launches of the candidate that failed are told to reviewers`() throws {
    let repository = try TestRepository()
    // Of the candidate's launches the first, two or four are thrown away, the shorter a launch the more.
    try repository.failingProgram("work.c", launch: 8)
    let result = repository.perfkit(
      "gate", "--against", "HEAD", "--no-profile", "--max-pairs", "11", "--junit", "junit.xml",
      "--comment", "comment.md", "--github")
    // Of eleven pairs ten are whole, and the first look takes eleven.
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
    #expect(comment.contains("launches that failed lack cpu.total, and without them"))
    #expect(!comment.contains("enough evidence"))
    #expect(
      result.errors.split(separator: "\n").contains {
        $0.hasPrefix("::warning file=Scenarios/work.yml,") && $0.contains(loss)
      }, "\(result.errors)")
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

  /// The store and git compare bytes, so that each knows only one of the two.
  @Test func `a revision is no baseline whose name is another normal form of it`() throws {
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

  @Test func `a name that neither a baseline nor a revision has is told so of both`() throws {
    let repository = try TestRepository()
    try repository.build()
    _ = repository.perfkit("run", "work", "--no-report", "--no-profile", "--iterations", "1")
    _ = repository.perfkit("baseline", "save", "five", "latest")
    let typo = repository.perfkit("gate", "--dry-run", "--against", "fiv")
    #expect(typo.status == .failed)
    #expect(typo.errors.contains("there is no revision 'fiv'"), "\(typo.errors)")
    #expect(typo.errors.contains("no baseline is called 'fiv'; did you mean 'five'?"))
    // A store that cannot be read may have it.
    try repository.write("broken.sqlite", String(repeating: "no database ", count: 100))
    let broken = repository.perfkit(
      "gate", "--dry-run", "--against", "five", "--store", "broken.sqlite")
    #expect(broken.status == .failed)
    #expect(broken.errors.contains("broken.sqlite"), "\(broken.errors)")
    #expect(!broken.errors.contains("there is no revision"))
  }

  @Test func `without a branch to compare with the gate is an error, never green`() throws {
    let repository = try TestRepository()
    try repository.git("branch", "--move", "trunk")
    let result = repository.perfkit("gate")
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot find the target branch"))
    #expect(try verdict(repository)["status"] as? Int == 2)
  }

  @Test func `a base that does not build is an error with its log`() throws {
    let repository = try TestRepository()
    try repository.write("work.c", "int main(void) { return missing; }\n")
    try repository.commit("Break it")
    try repository.program(decode: 20, layout: 20)
    let result = repository.perfkit(
      "gate", "--against", "HEAD", "--junit", "junit.xml", "--comment", "comment.md",
      "--code-quality", "quality.json", "--github")
    #expect(result.status == .failed)
    #expect(result.errors.contains("does not build"))
    // A CI system shows the same.
    #expect(result.errors.contains("::error file=perfkit.yml,title=perfkit%3A gate::"))
    let file = { (name: String) in
      try String(contentsOfFile: "\(repository.root)/\(name)", encoding: .utf8)
    }
    #expect(try file("junit.xml").contains("errors=\"1\""))
    let comment = try file("comment.md")
    #expect(comment.hasPrefix("<!-- perfkit-gate -->\n### ❌ The gate cannot judge.\n"))
    #expect(comment.contains("does not build") && comment.contains("missing"))
    #expect(try file("quality.json").contains("\"perfkit.yml\""))
  }

  @Test func `a gate of a commit with itself says that there was no change to judge`() throws {
    let repository = try TestRepository()
    let result = repository.perfkit(
      "gate", "--no-profile", "--max-time", "1ns", "--comment", "comment.md")
    let commit = try repository.git("rev-parse", "HEAD").prefix(10)
    let note = "Both sides are commit \(commit): there is no change to compare"
    // One pair decides nothing; its end is the same as that of any other gate.
    #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
    #expect(result.output.replacing("\n", with: " ").contains(note), "\(result.output)")
    #expect((try verdict(repository)["note"] as? String)?.hasPrefix(note) == true)
    let comment = try String(contentsOfFile: repository.root + "/comment.md", encoding: .utf8)
    #expect(comment.contains(note))
  }

  @Test(arguments: [
    (["--scenarios", "elsewhere"], "--scenarios elsewhere says nothing of revisions"),
    (["--iterations", "3"], "Use --max-pairs"),
    (["--warmup", "0"], "Leave it out."),
    (["--against", "mian"], "did you mean 'main'?"),
  ])
  func `what a gate of revisions refuses its plan refuses, too`(
    words: [String], message: String
  ) throws {
    let repository = try TestRepository()
    let gate = repository.perfkit.run(["gate"] + words)
    let plan = repository.perfkit.run(["gate", "--dry-run"] + words)
    #expect([.failed, .usage].contains(gate.status))
    #expect(gate.errors.contains(message), "\(gate.errors)")
    // The gate may have said its plan before.
    #expect(plan.status == gate.status && gate.errors.hasSuffix(plan.errors), "\(plan.output)")
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/.perfkit/builds"))
  }

  @Test func `a plan against no branch, and one outside of a checkout, are errors`() throws {
    let repository = try TestRepository()
    try repository.git("branch", "--move", "trunk")
    let gate = repository.perfkit("gate", "--dry-run")
    #expect(gate.status == .failed)
    #expect(gate.errors.contains("cannot find the target branch"), "\(gate.output)")
    let perfkit = try TestCommand()
    try perfkit.scenario(
      "quick", "scenario: quick\nsummary: A command.\ncommand: [/bin/true]\nvariants: { plain: {} }"
    )
    let outside = perfkit("gate", "--dry-run")
    #expect(outside.status == .failed)
    #expect(outside.errors.contains("is not in a git checkout"), "\(outside.errors)")
  }

  @Test func `a plan of a scenario that does not exist is an error`() throws {
    let repository = try TestRepository()
    let result = repository.perfkit("gate", "wrok", "--dry-run")
    #expect(result.status == .failed)
    #expect(result.errors.contains("did you mean 'work'?"))
  }

  @Test func `a regression from a baseline is accepted like one of pairs`() throws {
    let repository = try TestRepository()
    let perfkit = repository.perfkit
    try repository.build()
    for _ in 0..<5 {
      #expect(perfkit("run", "work", "--no-report", "--no-profile").status == .done)
    }
    #expect(
      perfkit("baseline", "save", "five", "latest", "latest~1", "latest~2", "latest~3", "latest~4")
        .status == .done)
    // Fifteen times the work is beyond the spread of five sessions on any machine.
    try repository.program(decode: 300, layout: 300)
    try repository.build()
    let words = ["gate", "work", "--no-profile", "--against", "five"]
    let red = perfkit.run(words)
    #expect(red.status == .gateFailed, "\(red.output)\(red.errors)")

    // What was measured is written into the ledger as a comparison that accepts it.
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
    // The interval has room for a machine that is busy with other tests.
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
