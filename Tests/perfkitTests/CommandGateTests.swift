import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Gates of plain commands, by budgets and against a baseline.
struct CommandGateTests {
  @Test func `a broken budget fails the gate, which writes its verdict`() throws {
    let perfkit = try TestCommand.measuring(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 1 ns]")
    let result = perfkit("gate", "--all", "quick", "--budgets-only")
    #expect(result.status == .gateFailed)
    #expect(result.output.contains("The gate failed: quick:plain (failed)."))
    let verdict = try jsonObject(perfkit.folder.text(".perfkit/verdict.json"))
    #expect(verdict["status"] as? Int == 1)
    #expect(verdict["schema"] as? String == "perfkit.verdict/1")
  }

  @Test func `a gate without budgets and baseline is inconclusive`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]")
    let result = perfkit("gate", "--all", "quick", "--budgets-only", "--junit", "junit.xml")
    #expect(result.status == .inconclusive)
    let junit = try perfkit.folder.text("junit.xml")
    #expect(junit.contains(#"tests="1" failures="0" errors="0" skipped="1""#))
    #expect(
      perfkit("gate", "--all", "quick", "--budgets-only", "--inconclusive", "pass").status == .done)
  }

  @Test func `a gate whose launches all fail reports this in every file`() throws {
    let perfkit = try TestCommand.measuring(
      "fail", #"[/bin/sh, -c, "exit 3"]"#, more: "budgets: [max(wall) <= 100 s]")
    let result = perfkit(
      "gate", "--all", "fail", "--budgets-only", "--junit", "junit.xml", "--comment", "comment.md",
      "--github")
    #expect(result.status == .failed)
    let junit = try perfkit.folder.text("junit.xml")
    #expect(junit.contains(#"tests="2" failures="0" errors="1""#))
    #expect(junit.contains(#"<error message="no launch completed"/>"#))
    let comment = try perfkit.folder.text("comment.md")
    #expect(comment.contains("- ❌ **fail:plain**: no launch completed"))
    #expect(result.errors.contains("::error file=Scenarios/fail.yml"))
  }

  @Test func `a launch that fails beside a completed one makes a gate inconclusive, not a run`()
    throws
  {
    let perfkit = try TestCommand()
    let mark = perfkit.folder("mark")
    try perfkit.scenario(
      "half", measuring: "[/bin/sh, -c, 'if [ -e \(mark) ]; then exit 3; fi; touch \(mark)']",
      more: "budgets: [max(wall) <= 100 s]")
    let run = perfkit("run", "--all", "half", "--no-report")
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.says("launch 1 failed: it exited with 3"), "\(run.errors)")
    try FileManager.default.removeItem(atPath: mark)
    let gate = perfkit("gate", "--all", "half", "--budgets-only")
    #expect(gate.status == .inconclusive, "\(gate.output)")
  }

  @Test func `a line of a program's output is no command for GitHub`() throws {
    let perfkit = try TestCommand.measuring(
      "fail", #"[/bin/sh, -c, "printf 'x\\n::add-mask::y\\n  ::add-mask::z\\n' >&2; exit 3"]"#,
      more: "budgets: [max(wall) <= 100 s]")
    let result = perfkit("gate", "--all", "fail", "--budgets-only", "--github")
    let lines = (result.errors + result.output).split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.contains { $0.hasPrefix("::error file=Scenarios/fail.yml") })
    #expect(lines.contains("| ::add-mask::y"))
    #expect(lines.contains("| ::add-mask::z"))
    #expect(!lines.contains { $0.hasPrefix("::add-mask::") })
  }

  @Test func `a broken budget is reported with the measured value`() throws {
    let perfkit = try TestCommand.measuring(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 1 ns]")
    let result = perfkit("gate", "--all", "quick", "--budgets-only", "--github")
    #expect(
      result.errors.contains(#/::budget max\(wall\) <= 1 ns is broken: measured [0-9.]+ [mµu]?s/#),
      "\(result.errors)")
  }

  @Test(arguments: [
    (["qiuck"], "did you mean 'quick'?"),
    (["quick", "--variant", "plian"], "did you mean 'plain'?"),
    (["quick", "--against", "baseline:main"], "there are no runs yet"),
  ])
  func `a dry run of unknown names suggests the nearest ones`(words: [String], hint: String) throws
  {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]")
    let target = words.contains("--against") ? [] : ["--budgets-only"]
    let result = perfkit.run(["gate", "--all", "--dry-run"] + words + target)
    #expect(result.status == .failed, "\(result.output)")
    #expect(result.errors.contains(hint), "\(result.errors)")
  }

  @Test func `a gate continues after a scenario that cannot be measured`() throws {
    let perfkit = try TestCommand.measuring(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 100 s]")
    let result = perfkit("gate", "--all", "unheard-of", "quick", "--budgets-only")
    #expect(result.status == .failed)
    #expect(result.output.contains("passed"))
    #expect(result.output.contains("unheard-of"))
  }

  @Test func `an unknown baseline fails the gate`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]")
    let result = perfkit("gate", "--all", "quick", "--against", "main")
    #expect(result.status == .failed)
    #expect(result.errors.contains("main"))
  }

  @Test func `a gate against a baseline of one session decides only budgets`() throws {
    let perfkit = try TestCommand.measuring(
      "quick", "[/bin/true]", iterations: 6, more: "budgets: [max(wall) <= 100 s]")
    #expect(perfkit("run", "--all", "quick", "--no-report").status == .done)
    #expect(perfkit("baseline", "save", "main", "latest").status == .done)
    #expect(perfkit("list", "baselines").output.contains("main"))
    let result = perfkit("gate", "--all", "quick", "--against", "main")
    #expect(result.status == .inconclusive)
    #expect(perfkit("baseline", "remove", "main").status == .done)
  }

  @Test func `a program that is older than its source is a warning of run and gate`() throws {
    let perfkit = try TestCommand()
    try perfkit.copy(program: "work.c")
    let (source, program) = (perfkit.folder("work.c"), perfkit.folder("work"))
    try perfkit.compile(source, "-g", "-o", "work")
    try perfkit.scenario(
      "work", measuring: "[\(program)]", iterations: 1, more: "budgets: [max(wall) <= 100 s]")
    func change(_ file: String, secondsAgo: Double) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: file)
    }
    let told = "work.c changed after 'work' was built"
    try change(source, secondsAgo: 7200)
    let current = perfkit("run", "work", "--no-report")
    #expect(current.status == .done && !current.prints(told), "\(current.output)")

    try change(program, secondsAgo: 9000)
    let run = perfkit("run", "work", "--no-report")
    #expect(run.status == .done && run.prints(told), "\(run.output)")
    #expect(run.output.contains("program.outdated"))
    #expect(
      perfkit("compare", "latest~1", "latest").prints("Candidate: the run may be of an older"))
    let saved = perfkit("baseline", "save", "main", "latest")
    #expect(saved.status == .done && saved.says("warning: run") && saved.says(told))
    let gate = perfkit("gate", "--all", "work", "--against", "main", "--github")
    #expect(gate.says("::warning") && gate.says(told), "\(gate.errors)")
  }

  @Test func `a scenario without budgets or a baseline is inconclusive`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]")
    #expect(perfkit("run", "--all", "quick", "--no-report").status == .done)
    #expect(perfkit("baseline", "save", "main", "latest").status == .done)
    try perfkit.scenario("other", measuring: "[/bin/true]", iterations: 1)
    let result = perfkit("gate", "--all", "other", "--against", "main", "--github")
    #expect(result.status == .inconclusive)
    #expect(
      result.errors.contains(
        "new: baseline 'main' lacks it, so that only its budgets are judged; it has no budgets"),
      "\(result.errors)")
    #expect(!result.errors.contains("and no baseline"))
  }
}
