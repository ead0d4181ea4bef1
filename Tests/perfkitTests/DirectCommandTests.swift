import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Commands of the command line, measured without a scenario file.
@Suite(.serialized)
struct DirectCommandTests {
  private static let quick = ["--no-profile", "--no-report", "--format", "json"]

  private func iterations(_ run: [String: Any]) throws -> [[String: Any]] {
    try #require(run["iterations"] as? [[String: Any]])
  }

  @Test func `a command is measured like a scenario of its name`() throws {
    let perfkit = try TestCommand()
    let result = perfkit.run(
      ["run", "--all", "--iterations", "3", "--warmup", "0"] + Self.quick + [
        "--", "sh", "-c", "exit 0",
      ])
    #expect(result.status == .done, "\(result.errors)")
    let run = try result.json()
    #expect(run["scenario"] as? String == "sh")
    #expect(run["variant"] as? String == "c-exit-0")
    let statuses = try iterations(run).map { $0["status"] as? String }
    #expect(statuses == ["completed", "completed", "completed"])
    #expect(perfkit("show", "sh:c-exit-0").status == .done)
  }

  @Test func `a command and a scenario of one name have histories of their own`() throws {
    let perfkit = try TestCommand()
    try perfkit.scenario("sh", "scenario: sh\nsummary: A shell.\ncommand: [/bin/sh, -c, exit 0]\n")
    for subject in [["sh"], ["--", "sh", "-c", "exit 0"]] {
      let result = perfkit.run(
        ["run", "--iterations", "1", "--warmup", "0", "--no-profile", "--no-report"] + subject)
      #expect(result.status == .done, "\(result.errors)")
    }
    #expect(perfkit("show", "sh").prints("sh:default"))
    #expect(perfkit("show", "sh-command").prints("sh-command:c-exit-0"))
  }

  @Test func `prepare and cleanup run once for each launch, in the working directory`() throws {
    let perfkit = try TestCommand()
    let result = perfkit.run(
      [
        "run", "--all", "--iterations", "2", "--warmup", "1", "--prepare", "sh -c 'echo p >> log'",
        "--cleanup", "sh -c 'echo c >> log'",
      ] + Self.quick + ["--", "sh", "-c", "echo m >> log; exit 3"])
    #expect(result.status == .failed)
    // A launch that failed is cleaned up as well.
    let log = try String(contentsOfFile: perfkit.folder("log"), encoding: .utf8)
    #expect(log == "p\nm\nc\np\nm\nc\np\nm\nc\n")
  }

  @Test func `a failing prepare stops the measurement with its output`() throws {
    let perfkit = try TestCommand()
    let result = perfkit.run(
      ["run", "--all", "--prepare", "sh -c 'echo no disk >&2; exit 4'"] + Self.quick + [
        "--", "true",
      ])
    #expect(result.status == .failed)
    // A run without a launch would be the latest one.
    #expect(perfkit("list", "runs").prints("No runs yet"))
    #expect(result.says("`prepare` failed for launch 0: `"), "\(result.errors)")
    #expect(result.says("exited with 4. Its last output: no disk"), "\(result.errors)")
  }

  @Test(arguments: ["exit 4", "test ! -e made && touch made"])
  func `a prepare that fails at the first launch of a side leaves no run`(hook: String) throws {
    let perfkit = try TestCommand()
    let result = perfkit.run(
      ["diff", "--prepare", "sh -c '\(hook)'"] + Self.quick + ["--", "true", "--", "echo"])
    #expect(result.status == .failed)
    #expect(result.says("`prepare` failed for launch 0"), "\(result.errors)")
    #expect(perfkit("list", "runs").prints("No runs yet"))
  }

  @Test func `a failing cleanup keeps the launch before it, and makes no further one`() throws {
    let perfkit = try TestCommand()
    let result = perfkit.run(
      [
        "run", "--all", "--iterations", "3", "--warmup", "0", "--cleanup",
        "sh -c 'echo full >&2; exit 4'",
      ]
        + Self.quick + ["--", "true"])
    #expect(result.status == .failed)
    #expect(result.says("`cleanup` failed for launch 0: `"), "\(result.errors)")
    let run = try perfkit.run(["show", "latest", "--format", "json"]).json()
    let launches = try iterations(run)
    #expect(launches.map { $0["status"] as? String } == ["completed"])
    #expect(launches.map { $0["index"] as? Int } == [0])
  }

  @Test func `a failing cleanup after the last launch is a warning`() throws {
    let perfkit = try TestCommand()
    let result = perfkit.run(
      [
        "run", "--all", "--iterations", "1", "--warmup", "0", "--cleanup",
        "sh -c 'echo full >&2; exit 4'",
      ]
        + Self.quick + ["--", "true"])
    #expect(result.status == .done, "\(result.errors)")
    let run = try perfkit.run(["show", "latest", "--format", "json"]).json()
    let warnings = try #require(run["warnings"] as? [[String: Any]])
    #expect(warnings.contains { $0["code"] as? String == "command.cleanup" })
  }

  @Test func `an accepted exit status completes a launch, with a warning`() throws {
    let command = ["--", "sh", "-c", "exit 3"]
    let words = ["run", "--all", "--iterations", "1", "--warmup", "0"] + Self.quick
    #expect(try TestCommand().run(words + command).status == .failed)
    let perfkit = try TestCommand()
    let result = perfkit.run(words + ["--accept-exit", "3"] + command)
    #expect(result.status == .done, "\(result.errors)")
    #expect(perfkit("show", "latest").prints("the command ended with exit status 3"))
  }

  @Test func `a command is killed at the time limit of its command line`() throws {
    let perfkit = try TestCommand()
    let words = ["run", "--timeout", "200ms", "--iterations", "1", "--warmup", "0"] + Self.quick
    let result = perfkit.run(words + ["--", "sleep", "1000"])
    #expect(result.status == .failed)
    #expect(result.prints("killed at its time limit of 200 ms"), "\(result.output)")
  }

  @Test func `two commands are compared in pairs`() throws {
    let perfkit = try TestCommand()
    for (name, steps) in [("fast", 5), ("slow", 15)] {
      try Self.source(steps).write(
        toFile: perfkit.folder("\(name).c"), atomically: true, encoding: .utf8)
      try perfkit.compile("-o", name, "\(name).c")
    }
    let result = perfkit.run(
      ["diff"] + Self.quick + ["--exit-code", "--", "./fast", "--", "./slow"])
    #expect(result.status == .gateFailed, "\(result.errors)")
    let comparison = try result.json()
    #expect(comparison["verdict"] as? String == "regressed")
    let sides = ["base", "candidate"].compactMap { comparison[$0] as? [String: Any] }
    #expect(sides.map { $0["variant"] as? String } == ["fast", "slow"])
    #expect(result.says("plan: 1 scenario, ./fast to ./slow, each until"))
  }

  private static let exits = ["--", "sh", "-c", "exit 0", "--", "sh", "-c", "exit 3"]

  @Test func `stored runs of a command are judged by the metrics of its pairs`() throws {
    let perfkit = try TestCommand()
    for _ in 0..<2 {
      let run = perfkit(
        "run", "--no-report", "--no-profile", "--iterations", "1", "--warmup", "0", "--", "true")
      #expect(run.status == .done, "\(run.errors)")
    }
    let compared = try perfkit("compare", "latest~1", "latest", "--format", "json").json()
    let metrics = try #require(compared["metrics"] as? [[String: Any]])
    let gating = metrics.filter { $0["gating"] as? Bool == true }.compactMap {
      $0["name"] as? String
    }
    #expect(Set(gating) == ["wall", "cpu.total"])
  }

  @Test func `a command that fails on one side alone is an error with the side and the status`()
    throws
  {
    let result = try TestCommand().run(["diff", "--all"] + Self.quick + Self.exits)
    #expect(result.status == .failed, "\(result.output)\(result.errors)")
    #expect(
      result.says("launch 0 of the candidate failed: it exited with 3"), "\(result.errors)")
  }

  @Test func `an accepted exit status of one side alone is a warning about the side`() throws {
    let result = try TestCommand().run(
      ["diff", "--all", "--accept-exit", "3", "--max-time", "1ns"] + Self.quick + Self.exits)
    #expect(result.status == .done, "\(result.output)\(result.errors)")
    #expect(result.says("which is too short for a verdict: the first one needs "))
    let warnings = try #require(result.json()["warnings"] as? [[String: Any]])
    let exits = warnings.filter { $0["code"] as? String == "command.exit" }
    #expect(
      exits.map { $0["message"] as? String } == [
        "candidate: the command ended with exit status 3"
      ])
  }

  /// Returns a program that multiplies this many million times.
  private static func source(_ steps: Int) -> String {
    """
    static volatile unsigned long sink = 1;
    int main(void) {
      unsigned long x = sink;
      for (long i = 0; i < \(steps) * 1000000L; i++) x *= 6364136223846793005UL;
      sink = x;
      return 0;
    }
    """
  }

  @Test func `a command runs in the trees of two revisions without a project file`() throws {
    let repository = try TestRepository()
    try FileManager.default.removeItem(atPath: repository.root + "/perfkit.yml")
    try repository.write("bench.sh", "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done\n")
    try repository.commit("Bench")
    try repository.write("bench.sh", "i=0; while [ $i -lt 90000 ]; do i=$((i+1)); done\n")
    let result = repository.perfkit.run(
      ["diff", "--all", "--command", "sh bench.sh", "HEAD", "WORKTREE"] + Self.quick)
    #expect(result.status == .done, "\(result.errors)")
    #expect(try result.json()["verdict"] as? String == "regressed")
  }

  @Test func `a script of the same commit on both sides is not measured`() throws {
    let repository = try TestRepository()
    try repository.write("bench.sh", "exit 0\n")
    try repository.commit("Bench")
    for revisions in [["HEAD", "HEAD"], ["HEAD", "WORKTREE"]] {
      let result = repository.perfkit.run(
        ["diff", "--all", "--command", "sh bench.sh"] + revisions + Self.quick)
      #expect(result.status == .done, "\(result.errors)")
      #expect(try result.json()["verdict"] as? String == "equivalent")
      #expect(repository.perfkit("list", "runs").prints("No runs yet"))
    }
  }

  @Test(arguments: [
    (["run", "--all", "work", "--", "true"], "a command after -- is measured alone"),
    (["run", "--all", "work", "--prepare", "true"], "--prepare applies to a command"),
    (
      ["run", "--all", "--accept-exit", "256", "--", "true"], "--accept-exit must be from 0 to 255"
    ),
    (["run", "--all", "--prepare", "a | b", "--", "true"], "--prepare: '|' needs a shell"),
    (["diff", "--all", "--", "true"], "diff compares two commands"),
    (["diff", "--all", "--", "a", "--", "b", "--", "c"], "diff compares two commands"),
    (["diff", "--all", "--", "a", "--"], "diff compares two commands"),
    (["diff", "--all", "HEAD", "--", "a", "--", "b"], "two commands have no revisions"),
    (["diff", "--all", "--command", "true", "--scenario", "work"], "a command has no scenario"),
    (["diff", "--all", "--command", "", "HEAD", "HEAD"], "--command: the command is empty"),
    (["diff", "--all", "--scenario", "work", "--warmup", "2"], "--warmup applies to commands"),
  ])
  func `a wrong use of a command is refused`(words: [String], message: String) throws {
    let result = try TestRepository().perfkit.run(words)
    #expect(result.status == .usage, "\(result.errors)")
    #expect(result.says(message), "\(result.errors)")
  }

  @Test func `an option of perfkit among the arguments of a command is noted`() throws {
    let result = try TestCommand().run(
      ["diff", "--max-time", "1ns"] + Self.quick + ["--", "true", "--", "true", "--max-time", "6s"])
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.says("note: --max-time is an argument of 'true' here."), "\(result.errors)")
  }

  @Test func `a command that does not exist is reported before anything is measured`() throws {
    let result = try TestCommand()("diff", "--all", "--", "true", "--", "./missing")
    #expect(result.status == .failed)
    #expect(result.says("cannot find the command './missing'"), "\(result.errors)")
  }
}
