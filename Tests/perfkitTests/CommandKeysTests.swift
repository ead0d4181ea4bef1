import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The keys of command scenarios, and the metrics that commands report.
struct CommandKeysTests {
  private static let options = ["--no-profile", "--no-report", "--format", "json"]

  private func measure(
    _ script: String, _ keys: String, prepare: (TestCommand) throws -> Void = { _ in }
  ) throws -> (TestCommand.Result, TestCommand) {
    let perfkit = try TestCommand.measuring("s", "[../script]", iterations: 1, more: keys)
    try Executable.write("#!/bin/sh\n\(script)\n", to: perfkit.folder("script"))
    try prepare(perfkit)
    return (perfkit.run(["run", "--all", "s"] + Self.options), perfkit)
  }

  private func metrics(_ result: TestCommand.Result) throws -> [String: Double] {
    let iterations = try #require(result.json()["iterations"] as? [[String: Any]])
    return try #require(iterations.first?["metrics"] as? [String: Double])
  }

  @Test func `a command has its directory, environment and input`() throws {
    let (result, perfkit) = try measure(
      "echo \"$(pwd) $BOOKS $(cat)\" > seen",
      "directory: ../data\nenvironment: { BOOKS: many books }\nstdin: list.txt"
    ) { perfkit in
      try FileManager.default.createDirectory(
        atPath: perfkit.folder("data"), withIntermediateDirectories: true)
      try "Emma".write(toFile: perfkit.folder("data/list.txt"), atomically: true, encoding: .utf8)
    }
    #expect(result.status == .done, "\(result.errors)")
    let seen = try String(contentsOfFile: perfkit.folder("data/seen"), encoding: .utf8)
    #expect(seen.hasSuffix("/data many books Emma\n"), "\(seen)")
  }

  @Test(arguments: [
    ("directory: nowhere", "the command cannot run in"), ("stdin: nothing", "No such file"),
    ("prepare: [./nothing]", "cannot find the command './nothing'"),
  ])
  func `missing surroundings are reported before anything is measured`(
    keys: String, message: String
  ) throws {
    let (result, perfkit) = try measure("exit 0", keys)
    #expect(result.status == .failed)
    #expect(result.says(message), "\(result.errors)")
    #expect(perfkit("list", "runs").errors.contains("there are no runs yet"))
  }

  @Test func `a failed launch names the discarded output or shows the kept one`() throws {
    let (discarded, _) = try measure("echo result; exit 1", "")
    #expect(discarded.status == .failed)
    #expect(discarded.output.contains("its standard output was discarded"), "\(discarded.output)")
    let (kept, _) = try measure("echo result; exit 1", "output: keep")
    #expect(kept.output.contains("its last output: result"), "\(kept.output)")
  }

  @Test func `metrics of the output and of files are values of each launch`() throws {
    let script = """
      echo 'parsed in 2.5 ms'; echo '{"hits": 7}'
      echo '{"results": [{"command": "a", "median": 0.25}]}' > times.json
      """
    let (result, perfkit) = try measure(
      script,
      """
      metrics:
        parse: { pattern: 'parsed in ([0-9.]+) ms', unit: ms }
        hits: { line: hits, unit: count, better: higher }
        tool: { hyperfine: times.json }
      budgets: [parse <= 3 ms]
      """)
    #expect(result.status == .done, "\(result.errors)")
    let values = try metrics(result)
    #expect(values["parse"] == 2.5e6 && values["hits"] == 7 && values["tool"] == 2.5e8, "\(values)")
    #expect(perfkit("show", "latest").prints("parse"))
  }

  @Test func `a launch without one of its metrics fails with the reason`() throws {
    let (result, _) = try measure(
      "exit 0", "metrics: { total: { file: out.json, key: a, unit: s } }")
    #expect(result.status == .failed)
    #expect(result.output.contains("its metric 'total' cannot be read"), "\(result.output)")
  }

  @Test func `a command without samples has no preloaded library`() throws {
    let (result, perfkit) = try measure("env > seen", "")
    #expect(result.status == .done, "\(result.errors)")
    let seen = try String(contentsOfFile: perfkit.folder("seen"), encoding: .utf8)
    #expect(!seen.contains("LD_PRELOAD"), "\(seen)")
  }

  /// The process that runs the tests takes far less than the command's 900 MB.
  @Test func `the peak of a large command is exact, and of a small one polled`() throws {
    // dd allocates one block, and reads it once.
    let (large, _) = try measure(
      "exec dd if=/dev/zero of=/dev/null bs=900000000 count=1 iflag=fullblock 2> /dev/null", "")
    let peak = try #require(metrics(large)["rss.peak"])
    #expect((9e8...9.1e8).contains(peak), "\(peak)")
    #expect(!large.output.contains("command.rss_polled"))
    let (small, perfkit) = try measure("exec sleep 0.1", "")
    #expect(small.status == .done)
    #expect(perfkit("show", "latest").prints("rss.peak was read every 2 ms"))
  }
}
