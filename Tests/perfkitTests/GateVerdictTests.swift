import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The files of a gate that failed, after those of a gate that passed.
struct GateVerdictTests {
  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    try perfkit.scenario(
      "quick",
      """
      scenario: quick
      summary: A command.
      command: [/bin/true]
      variants: { plain: {} }
      default_variant: plain
      iterations: 2
      warmup: 0
      budgets: [max(wall) <= 100 s]
      """)
  }

  private let gate = [
    "gate", "--all", "quick", "--budgets-only", "--no-profile", "--verdict", "verdict.json",
  ]

  private func verdict() throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: perfkit.folder("verdict.json")))
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test(arguments: [
    ["--max-pairs", "0"], ["--inconclusive", "maybe"], ["--rate", "0"],
    ["--stack-size", "5"], ["--signal", "SEGV"], ["--frobnicate"],
  ])
  func `a wrong command line replaces an earlier verdict by its error`(
    words: [String]
  ) throws {
    #expect(perfkit.run(gate).status == .done)
    #expect(try verdict()["status"] as? Int == 0)
    let result = perfkit.run(gate + words + ["--comment", "comment.md"])
    #expect(result.status == .usage && result.errors.contains("Usage:"), "\(result.errors)")
    let failed = try verdict()
    #expect(failed["status"] as? Int == 64 && failed["verdict"] as? String == "error")
    let results = try #require(failed["results"] as? [[String: Any]])
    let note = try #require(results.first?["note"] as? String)
    #expect(!note.isEmpty && result.errors.contains("Error: \(note)"), "\(note)")
    let comment = try String(contentsOfFile: perfkit.folder("comment.md"), encoding: .utf8)
    #expect(comment.contains("The gate could not be judged."))
  }

  @Test func `the verdict goes to the default file if the command line names none`()
    throws
  {
    let result = perfkit("gate", "--all", "quick", "--budgets-only", "--junit")
    #expect(result.status == .usage)
    let text = try String(
      contentsOfFile: perfkit.folder(".perfkit/verdict.json"), encoding: .utf8)
    #expect(text.contains("--junit"))
  }

  @Test(arguments: [["unheard-of"], ["--variant", "plian"], ["--max-pairs", "0"]])
  func `a failed plan does not change the verdict`(words: [String]) throws {
    #expect(perfkit.run(gate).status == .done)
    let result = perfkit.run(gate + words + ["--dry-run", "--comment", "comment.md"])
    #expect([.failed, .usage].contains(result.status), "\(result.output)")
    #expect(try verdict()["status"] as? Int == 0)
    #expect(!FileManager.default.fileExists(atPath: perfkit.folder("comment.md")))
  }

  @Test func `a gate looks for the checkout only once`() throws {
    try perfkit.scenario(
      "both",
      """
      scenario: both
      summary: A command.
      command: [/bin/true]
      variants: { a: {}, b: {} }
      default_variant: a
      iterations: 2
      warmup: 0
      gate: { margin: 10%, metrics: { wall: {} } }
      """)
    let variants = ["--variant", "a", "--variant", "b"]
    #expect(
      perfkit.run(["run", "--all", "both", "--no-report", "--no-profile"] + variants).status
        == .done)
    #expect(perfkit("baseline", "save", "main", "latest", "latest~1").status == .done)
    // A git that finds no checkout and records its arguments.
    let tools = perfkit.folder("tools")
    let calls = perfkit.folder("calls")
    try Executable.write(
      "#!/bin/sh\necho \"$*\" >> '\(calls)'\nexit 128\n", to: tools + "/git")
    func asked(_ variants: [String]) throws -> Int {
      try Data().write(to: URL(fileURLWithPath: calls))
      let result = perfkit.run(
        ["gate", "--all", "both", "--against", "baseline:main", "--no-profile"] + variants,
        variables: ["PATH": "\(tools):/usr/bin:/bin"])
      #expect(result.output.contains("both:a"), "\(result.errors)")
      return try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n").count
    }
    // Each run queries git once for its environment.
    let one = try asked(Array(variants.prefix(2)))
    #expect(one > 0)
    #expect(try asked(variants) == one + 1)
  }
}
