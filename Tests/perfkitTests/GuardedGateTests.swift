import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Gates of a candidate that loosens the rules of its base.
@Suite(.serialized)
struct GuardedGateTests {
  private let repository: TestRepository

  init() throws {
    repository = try TestRepository()
    try repository.scenario("still", budget: "wall <= 60 s")
    try repository.commit("Another scenario")
    try repository.git("checkout", "--quiet", "-b", "change")
  }

  private func gate(_ words: String...) -> TestCommand.Result {
    repository.perfkit.run(
      [
        "gate", "--all", "--no-profile", "--max-time", "1ns", "--comment", "comment.md", "--junit",
        "junit.xml",
      ]
        + words)
  }

  private func text(_ name: String) throws -> String { try repository.folder.text(name) }

  /// Returns the changes of the rules in the verdict of the latest gate.
  private func changes() throws -> [[String: Any]] {
    try #require(repository.verdict()["results"] as? [[String: Any]])
      .compactMap { $0["change"] as? [String: Any] }
  }

  @Test func `a removed scenario fails the gate until a decision accepts it`() throws {
    try repository.git("rm", "--quiet", "Scenarios/still.yml")
    try repository.commit("Remove a scenario")
    let red = gate()
    #expect(red.status == .gateFailed, "\(red.output)\(red.errors)")
    #expect(red.prints("perfkit decide removed:still --keep --because TEXT"))
    #expect(try text("comment.md").contains("- ❌ **still**: Scenario still is removed"))
    #expect(try text("junit.xml").contains("failures=\"1\""))
    #expect(try changes().compactMap { $0["id"] as? String } == ["removed:still"])

    let unknown = repository.perfkit("decide", "removed:work", "--keep", "--because", "So.")
    #expect(unknown.status == .failed && unknown.says("There is removed:still."))
    let decided = repository.perfkit(
      "decide", "removed:still", "--keep", "--because", "It measured nothing.")
    #expect(decided.output == "Reports/decisions/0001-still-kept.md\n", "\(decided.errors)")
    // The test repository ignores its reports.
    #expect(decided.says("git ignores this page"))
    #expect(try text("Reports/decisions/0001-still-kept.md").contains("Scenario still is removed"))
    let green = gate()
    #expect(green.status != .gateFailed, "\(green.output)\(green.errors)")
    #expect(try changes().compactMap { $0["decision"] as? Int } == [1])
    #expect(!green.prints("Accept it"))
    // There is nothing to measure again.
    #expect(repository.perfkit("decide", "--revisit", "--dry-run").says("no kept decision"))
  }

  @Test func `the command that accepts a change names the base that the user named`() throws {
    try repository.git("rm", "--quiet", "Scenarios/still.yml")
    try repository.commit("Remove a scenario")
    let red = gate("--against", "HEAD~1")
    #expect(
      red.prints("perfkit decide removed:still --against HEAD~1 --keep --because TEXT"),
      "\(red.output)")
    let decided = repository.perfkit(
      "decide", "removed:still", "--against", "HEAD~1", "--keep", "--because", "So.")
    #expect(decided.status == .done, "\(decided.errors)")
    #expect(gate("--against", "HEAD~1").prints("It is accepted by decision 1"))
  }

  @Test func `a wider margin and a removed budget fail the gate, and the base's rules count`()
    throws
  {
    try repository.write(
      "Scenarios/work.yml",
      """
      scenario: work
      summary: A program that works.
      command: [../bin/work]
      iterations: 6
      warmup: 0
      gate: { margin: 50%, metrics: { cpu.total: {} } }
      """)
    let red = gate("work", "--measure-same", "--format", "json")
    #expect(red.status == .gateFailed, "\(red.output)\(red.errors)")
    let change = try #require(changes().first)
    #expect(change["id"] as? String == "loosened:work")
    #expect(
      change["sentence"] as? String
        == "The candidate loosens the gate: the margin of cpu.total is 50%, not 10%; "
        + "budget 'wall <= 60 s' is removed. The base's rules decide.")
    let results = try #require(repository.verdict()["results"] as? [[String: Any]])
    let note = try #require(results.first?["note"] as? String)
    #expect(note.contains("New budgets of the file count once it is accepted. Accept it: perfkit"))
    let measured = try #require(results.last)
    let budgets = (measured["run"] as? [String: Any])?["budgets"] as? [[String: Any]]
    #expect(budgets?.count == 1)
    let metrics = (measured["comparison"] as? [String: Any])?["metrics"] as? [[String: Any]]
    #expect(metrics?.first { $0["name"] as? String == "cpu.total" }?["margin"] as? Double == 0.1)
  }

  @Test func `a scenario that measures something else is measured by the base's file`() throws {
    let mark = repository.root + "/prepared"
    try repository.write(
      "Scenarios/still.yml",
      text("Scenarios/still.yml") + "\nprepare: [/usr/bin/touch, \"\(mark)\"]\n")
    let result = gate("still", "--measure-same")
    #expect(result.status != .gateFailed && result.status != .failed, "\(result.errors)")
    #expect(try changes().compactMap { $0["id"] as? String } == ["changed:still"])
    #expect(try text("comment.md").contains("- ❔ **still**: The scenario changed (prepare)"))
    #expect(try text("junit.xml").contains("rule changed"))
    #expect(!FileManager.default.fileExists(atPath: mark))

    let decided = repository.perfkit(
      "decide", "changed:still", "--keep", "--because", "It needs a file.")
    #expect(decided.status == .done, "\(decided.errors)")
    _ = gate("still", "--measure-same")
    #expect(try changes().compactMap { $0["decision"] as? Int } == [1])
    #expect(FileManager.default.fileExists(atPath: mark))
  }

  @Test func `a project in a folder is guarded by the project file of that folder`() throws {
    try repository.git("checkout", "--quiet", "main")
    try repository.write(
      "tools/perfkit.yml", "build: [/bin/true]\nproducts: .\ngate: { margin: 3% }\n")
    try repository.perfkit.scenario(
      "zip", measuring: "[/bin/true]", in: "tools/Scenarios", iterations: 6,
      more: "budgets: [wall <= 60 s]\ngate: { metrics: { wall: {} } }")
    try repository.commit("A second project")
    try repository.git("checkout", "--quiet", "-b", "folder")
    func run(_ words: String...) -> TestCommand.Result {
      repository.perfkit.run(words, below: "tools")
    }
    func gate() -> TestCommand.Result { run("gate", "--all", "--no-profile", "--max-time", "1ns") }
    let same = gate()
    #expect(same.status != .gateFailed && same.status != .failed, "\(same.output)\(same.errors)")
    try repository.write(
      "tools/perfkit.yml", "build: [/bin/true]\nproducts: .\ngate: { margin: 30% }\n")
    let red = gate()
    #expect(red.status == .gateFailed, "\(red.output)\(red.errors)")
    #expect(red.prints("loosened:zip") && red.prints("the margin of wall is 30%, not 3%"))
    let decided = run("decide", "loosened:zip", "--keep", "--because", "The command is noisy.")
    #expect(decided.status == .done, "\(decided.errors)")
    // No run measured the change of the rules.
    let list = run("list", "decisions")
    #expect(
      list.output.contains("loosened") && !list.output.contains("regressed"), "\(list.output)")
    #expect(gate().status != .gateFailed)

    // Findings without a base are shown at the file in the folder as well.
    try repository.perfkit.scenario(
      "slow", measuring: "[/bin/true]", in: "tools/Scenarios", iterations: 1,
      more: "budgets: [max(wall) <= 1 ns]")
    let slow = run("gate", "--all", "slow", "--no-profile", "--budgets-only", "--github")
    #expect(slow.status == .gateFailed, "\(slow.output)\(slow.errors)")
    #expect(slow.errors.contains("::error file=tools/Scenarios/slow.yml,"), "\(slow.errors)")
  }

  @Test func `a base that the project file names needs a known target branch`() throws {
    try repository.write(
      "perfkit.yml", "build: [/bin/sh, build.sh]\nproducts: bin\ngate: { against: HEAD }\n")
    try repository.commit("Another base")
    let loosened = gate("work")
    #expect(loosened.status == .gateFailed, "\(loosened.output)\(loosened.errors)")
    #expect(loosened.prints("it compares with 'HEAD', not with 'the merge base'"))
    try repository.git("branch", "--quiet", "--move", "main", "trunk")
    let unknown = gate()
    #expect(unknown.status == .failed, "\(unknown.output)\(unknown.errors)")
    #expect(unknown.says("cannot check the base 'HEAD' of perfkit.yml"))
    #expect(unknown.says("pass the base as --against"))
    #expect(gate("--dry-run").status == .failed)
    #expect(gate("work", "--against", "trunk", "--dry-run").status == .done)
  }

  @Test func `a baseline that only the candidate names fails the gate until that is accepted`()
    throws
  {
    try repository.build()
    #expect(repository.perfkit("run", "--all", "work", "--no-profile", "--quiet").status == .done)
    #expect(repository.perfkit("baseline", "save", "old", "latest").status == .done)
    try repository.write(
      "perfkit.yml",
      "build: [/bin/sh, build.sh]\nproducts: bin\ngate: { against: \"baseline:old\" }\n")
    try repository.commit("A baseline")
    let red = repository.perfkit("gate", "--all", "work", "--no-profile")
    #expect(red.status == .gateFailed, "\(red.output)\(red.errors)")
    #expect(red.prints("it compares with 'baseline:old', not with 'the merge base'"))
    let decided = repository.perfkit(
      "decide", "loosened:perfkit.yml", "--keep", "--because", "It is our release.")
    #expect(decided.status == .done, "\(decided.errors)")
    let green = repository.perfkit("gate", "--all", "work", "--no-profile")
    #expect(green.status != .gateFailed && green.status != .failed, "\(green.errors)")
    // A user who names the baseline needs no decision.
    let named = repository.perfkit(
      "gate", "--all", "work", "--no-profile", "--against", "baseline:old")
    #expect(!named.prints("it compares with"))
  }

  @Test func `the base's file that counts is named when it does not fit the candidate`() throws {
    try repository.git("checkout", "--quiet", "main")
    try repository.write(
      "Scenarios/work.yml",
      """
      scenario: work
      summary: A program that works.
      command: [../bin/work]
      directory: ../tests
      budgets: ["wall <= 60 s"]
      gate: { metrics: { cpu.total: {} } }
      """)
    try repository.write("tests/input.txt", "books")
    try repository.commit("A directory")
    try repository.git("checkout", "--quiet", "-b", "moved")
    try repository.git("mv", "tests", "data")
    let text = try text("Scenarios/work.yml")
    try repository.write("Scenarios/work.yml", text.replacing("../tests", with: "../data"))
    try repository.commit("Move a directory")
    let result = gate("work")
    #expect(result.status == .failed, "\(result.output)\(result.errors)")
    #expect(
      result.prints("Both sides of 'work' are measured by the base's file."), "\(result.output)")
  }

  @Test func `a renamed scenario is compared with its base and named`() throws {
    try repository.git("mv", "Scenarios/still.yml", "Scenarios/quiet.yml")
    let old = try text("Scenarios/quiet.yml")
    try repository.write("Scenarios/quiet.yml", old.replacing("still", with: "quiet"))
    let result = gate("quiet")
    #expect(result.status == .inconclusive || result.status == .done, "\(result.errors)")
    #expect(result.prints("Scenario still is now quiet."))
    #expect(!result.prints("only its budgets are judged"))
  }
}
