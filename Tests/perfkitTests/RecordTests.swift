import Foundation
import Glibc
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record` of programs of this machine and of this package.
struct RecordTests {
  /// A shell script that uses the CPU for long enough to be sampled.
  private static let burner = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"

  @Test func `a recorded program is stored as a run`() throws {
    let perfkit = try TestCommand()
    let result = perfkit("record", "--all", "--label", "loop", "--", "/bin/sh", "-c", Self.burner)
    #expect(result.status == .done)
    // Standard output is the program's.
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("Hot functions"))
    #expect(FileManager.default.fileExists(atPath: perfkit.folder("Reports/sh-record.html")))
    #expect(perfkit("list", "runs").output.contains("sh:record"))
    #expect(
      perfkit("flamegraph", "loop", "--output", perfkit.folder("f.svg")).status == .done)
  }

  @Test func `a second recording of a program keeps the report of the first`() throws {
    let perfkit = try TestCommand()
    for _ in 0..<2 {
      #expect(perfkit("record", "--all", "--", "/bin/sh", "-c", Self.burner).status == .done)
    }
    let runs = perfkit("list", "runs", "--format", "csv").output
      .split(separator: "\n").dropFirst().map { String($0.prefix { $0 != "," }) }
    let reports = try FileManager.default.contentsOfDirectory(atPath: perfkit.folder("Reports"))
    // The list begins with the latest run.
    #expect(reports.sorted() == ["sh-record-\(try #require(runs.first)).html", "sh-record.html"])
    for (name, run) in zip(reports.sorted(), runs) {
      let page = try String(contentsOfFile: perfkit.folder("Reports/\(name)"), encoding: .utf8)
      #expect(page.contains(run), "\(name)")
    }
  }

  @Test func `a program can be sampled by another signal`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--all", "--no-report", "--signal", "RTMIN+3", "--", "/bin/sh", "-c", Self.burner)
    #expect(result.status == .done)
    #expect(result.errors.contains("Hot functions"))
  }

  @Test func `a program that takes the sampling signal gets advice on another one`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "takes.c", "-o", "takes")
    func isTold(_ result: TestCommand.Result) -> Bool {
      result.says("Use a signal that the program does not use, e.g. --signal RTMIN+3")
    }
    for way in ["own", "ignore", "read", "leave"] {
      let result = perfkit(
        "record", "--all", "--no-report", "--engine", "signal", "--", perfkit.folder("takes"), way)
      // A program that takes the signal at its start has few samples or none.
      #expect(result.status == .done || way == "own", "\(result.errors)")
      #expect(!result.errors.contains("Raise --rate"), "\(result.errors)")
      #expect(isTold(result) == (way != "leave"), "\(result.errors)")
      if result.status == .done {
        let chart = perfkit("chart", "latest", "--kind", "cpu", "-o", "cpu.svg")
        #expect(chart.status == .done && isTold(chart) == isTold(result), "\(chart.errors)")
      }
      let other = perfkit(
        "record", "--all", "--no-report", "--signal", "RTMIN+3", "--", perfkit.folder("takes"), way)
      #expect(other.status == .done, "\(other.errors)")
      #expect(!isTold(other), "\(other.errors)")
    }
  }

  @Test func `a program's exit status is reported and is no failure`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--all", "--no-report", "--", "/bin/sh", "-c", Self.burner + "; exit 7")
    #expect(result.status == .done)
    #expect(result.errors.contains("the command exited with 7"))
  }

  @Test func `the samples of a program that crashes are reported`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--all", "--no-report", "--", "/bin/sh", "-c", Self.burner + "; kill -SEGV $$")
    #expect(result.errors.contains("crashed (SIGSEGV)"))
    #expect(result.errors.contains("Hot functions"))
  }

  @Test func `a program that ends before the first tick is reported with a remedy`() throws {
    let perfkit = try TestCommand()
    let result = perfkit("record", "--all", "--no-report", "--rate", "1", "--", "/bin/true")
    #expect(result.status == .failed)
    #expect(result.errors.contains("ended before the first sample"))
  }

  @Test func `a program that crashes before the first tick is reported as crashed`() throws {
    let result = try TestCommand()(
      "record", "--all", "--no-report", "--rate", "1", "--", "/bin/sh", "-c", "kill -ABRT $$")
    #expect(result.status == .failed)
    #expect(result.says("crashed (SIGABRT) before the first sample"), "\(result.errors)")
  }

  @Test(arguments: [
    // 20 MB: more than the program needs, and less than the capture segment.
    ("ulimit -v 20000; exec \"$0\" -c \"$1\"", "the process executed another program"),
    ("exec env -i \"$0\" -c \"$1\"", "the process executed another program"),
    // One file: for the loader, then for the sampler, which needs two. The shell waits for a child
    // once.
    (
      "exec <&-; ulimit -n 1; exec \"$0\" -c \"($1) & wait; $1\"",
      "Raise its limit of open files (ulimit -n)"
    ),
  ])
  func `a program that cannot be sampled is reported with the obstacle`(
    start: String, message: String
  ) throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--", "/bin/sh", "-c", start,
      "/bin/sh",
      Self.burner)
    #expect(result.says(message), "\(result.errors)")
    #expect(!result.errors.contains("Raise --rate"))
  }

  // No pending signal, and no descriptor beside standard input, output and error, and one file for
  // the loader.
  @Test(arguments: ["ulimit -i 0", "ulimit -n 4"])
  func `a program with low limits is sampled`(limit: String) throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--", "/bin/bash", "-c",
      "\(limit); exec \"$0\" -c \"$1\"", "/bin/sh", Self.burner)
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("warning"), "\(result.errors)")
    // The first program may be sampled before it sets the limit.
    let stacks = try LatestProfile(perfkit).stacks
    #expect(stacks.samples { $0.hasPrefix("sh;") } > 0, "\(stacks.lines)")
  }

  @Test func `allocations are counted and shown where they were made`() throws {
    let perfkit = try TestCommand()
    // awk allocates strings of increasing size.
    let program = "BEGIN { s = \"x\"; while (length(s) < 33554432) s = s s; print length(s) }"
    let result = perfkit(
      "record", "--all", "--allocations", "--no-report", "--format", "json", "--output",
      perfkit.folder("run.json"), "--", "awk", program)
    #expect(result.status == .done)
    let json = try String(contentsOfFile: perfkit.folder("run.json"), encoding: .utf8)
    let run = try jsonObject(json)
    let launches = try #require(run["iterations"] as? [[String: Any]])
    let metrics = try #require(launches.first?["metrics"] as? [String: Double])
    #expect(try #require(metrics["alloc.count"]) > 25)
    // Strings of 2, 4, 8 to 2^25 bytes.
    #expect(try #require(metrics["alloc.bytes"]) > 67_000_000)
    for words in [[], ["--live", "peak"]] {
      let drawn = perfkit.run(
        ["flamegraph", "latest", "--allocations", "--output", "memory.svg"] + words)
      #expect(drawn.status == .done)
      let svg = try String(contentsOfFile: perfkit.folder("memory.svg"), encoding: .utf8)
      #expect(svg.contains(words.isEmpty ? "allocated memory" : "memory at the peak"))
      #expect(svg.contains("MB per launch"))
    }
  }

  @Test func `a flame graph of memory that was not measured fails with a remedy`() throws {
    let perfkit = try TestCommand()
    #expect(
      perfkit("record", "--all", "--no-report", "--", "/bin/sh", "-c", Self.burner).status == .done)
    let result = perfkit("flamegraph", "latest", "--allocations", "--output", "memory.svg")
    #expect(result.status == .failed)
    #expect(result.errors.contains("measured without --allocations. Measure it again with it."))
    #expect(perfkit("flamegraph", "latest", "--live", "end", "--output", "-").status == .usage)
  }

  @Test func `a missing command is reported with the searched path`() throws {
    let perfkit = try TestCommand()
    let result = perfkit("record", "--all", "--", "no-such-command")
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot find the command 'no-such-command' (looked at /"))
    // The folder of the scenario is also the working directory.
    let local = perfkit("run", "--", "bin/missing").errors
    #expect(local.ranges(of: "/bin/missing").count == 1, "\(local)")
    #expect(perfkit("record", "--all", "--", "").errors.contains("the command has no name"))
    let folder = perfkit("record", "--all", "--", perfkit.folder.path)
    #expect(folder.status == .failed)
    #expect(folder.errors.contains("'\(perfkit.folder.path)' is a folder. Pass a program in it."))
  }

  @Test func `a file that is no program and one without permission have different messages`() throws
  {
    let perfkit = try TestCommand()
    let file = perfkit.folder("file")
    try Executable.write("no program", to: file)
    chmod(file, 0o644)
    #expect(perfkit("record", "--all", "--", file).errors.contains("'\(file)' is not executable"))
    chmod(file, 0o755)
    let result = perfkit("record", "--all", "--", file)
    #expect(result.status == .failed)
    #expect(result.errors.contains("neither a program nor a script with an interpreter"))
  }

  @Test func `a script is recorded by its interpreter, which must exist`() throws {
    let perfkit = try TestCommand()
    let script = perfkit.folder("script")
    try Executable.write("#!/bin/sh\n\(Self.burner)\n", to: script)
    #expect(perfkit("record", "--all", "--no-report", "--", script).status == .done)
    try Executable.write("#!\(perfkit.folder("missing")) x\n", to: script)
    let result = perfkit("record", "--all", "--", script)
    #expect(result.status == .failed)
    let interpreter = perfkit.folder("missing")
    #expect(result.says("its interpreter '\(interpreter)' is unusable: it does not exist"))
    #expect(result.says("Install it or use another one."))
  }

  @Test func `stopping a recording ends the program and keeps its samples`() throws {
    let perfkit = try TestCommand()
    let mark = perfkit.folder("running")
    let script = "\(Self.burner); touch \(mark); while :; do :; done"
    let result = perfkit.run(
      ["record", "--all", "--no-report", "--", "/bin/sh", "-c", script],
      cancellation: Cancellation { FileManager.default.fileExists(atPath: mark) })
    #expect(result.status == .interrupted)
    #expect(perfkit("list", "runs").output.contains("interrupted"))
    #expect(result.errors.contains("Hot functions"))
  }

  @Test func `a program that is stopped is sampled until its end`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "stops.c", "-o", "stops")
    let mark = perfkit.folder("running")
    let result = perfkit.run(
      ["record", "--all", "--no-report", "--", perfkit.folder("stops"), mark],
      cancellation: Cancellation { FileManager.default.fileExists(atPath: mark) })
    #expect(result.status == .interrupted, "\(result.errors)")
    // The program begins this function when PerfKit ends it, long after the stop.
    let stacks = try LatestProfile(perfkit).stacks
    #expect(stacks.samples { $0.contains(";finish_work") } > 0, "\(stacks.lines)")
  }
}
