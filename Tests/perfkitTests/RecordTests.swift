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

  @Test(arguments: [
    // 20 MB: more than the program needs, and less than the capture segment.
    ("ulimit -v 20000; exec \"$0\" -c \"$1\"", "the process executed another program"),
    ("exec env -i \"$0\" -c \"$1\"", "the process executed another program"),
    // Standard input, output and error, and one file for the loader. The shell waits for a child
    // once.
    (
      "ulimit -n 4; exec \"$0\" -c \"($1) & wait; $1\"", "Raise its limit of open files (ulimit -n)"
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

  @Test func `a program that may have no pending signal is sampled`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--", "/bin/bash", "-c",
      "ulimit -i 0; exec \"$0\" -c \"$1\"",
      "/bin/sh", Self.burner)
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

  @Test(arguments: ["", "-static-stdlib"])
  func `a program whose async frames are not marked gets advice on compiler flags`(
    linking: String
  ) throws {
    let perfkit = try TestCommand()
    let flags = [
      "-Xfrontend", "-enable-async-frame-pointer-all", "-Xfrontend",
      "-swift-async-frame-pointer=always",
    ]
    for marks in [[], flags] {
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      compiler.currentDirectoryURL = URL(fileURLWithPath: perfkit.folder.path)
      compiler.arguments =
        ["swiftc", "-O", "-parse-as-library", TestCommand.programSources + "/async.swift"]
        + ["-o", "async"] + [linking].filter { !$0.isEmpty } + marks
      try compiler.run()
      compiler.waitUntilExit()
      try #require(compiler.terminationStatus == 0)
      let result = perfkit(
        "record", "--all", "--no-report", "--engine", "signal", "--", perfkit.folder("async"))
      #expect(result.status == .done, "\(result.errors)")
      #expect(
        result.errors.contains("-swift-async-frame-pointer=always") == marks.isEmpty,
        "\(result.errors)")
    }
  }

  #if arch(x86_64)
  @Test func `samples in the stubs of a library are complete and named`() throws {
    let perfkit = try TestCommand()
    // One of seven instructions of a round is the stub's. Its share of the samples depends on the
    // processor: it was 4 to 42 % in launches of this program on one machine.
    try perfkit.compile(program: "tiny.c", "-shared", "-fPIC", "-o", "libtiny.so")
    try perfkit.compile(
      program: "calls.c", "-o", "calls", "-L.", "-ltiny", "-Wl,-rpath,\(perfkit.folder.path)",
      "-Wl,-z,lazy")
    let result = perfkit("record", "--all", "--no-report", "--", perfkit.folder("calls"))
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    #expect(profile.failed == 0)
    // Some samples may be in the loader, before main.
    #expect(profile.complete == profile.samples)
    let inStub = profile.stacks.samples { $0.contains(";main;tiny@plt ") }
    #expect(inStub * 100 > profile.running, "\(inStub) of \(profile.running)")
  }
  #endif

  @Test func `a library at the address of an unloaded one has its own name`() throws {
    let perfkit = try TestCommand()
    // Both have the same code, and differ only in the time when they are loaded.
    for name in ["one", "two"] {
      try perfkit.compile(
        program: "burn.c", "-DNAME=\(name)", "-shared", "-fPIC", "-o", "lib\(name).so")
    }
    try perfkit.compile(program: "loads.c", "-o", "loads", "-ldl")
    let result = perfkit(
      "record", "--all", "--no-report", "--", perfkit.folder("loads"), perfkit.folder("libone.so"),
      "one",
      perfkit.folder("libtwo.so"), "two")
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    let counts = ["one", "two"].map { name in
      profile.stacks.samples { $0.contains(";main;\(name) ") }
    }
    // The shares of the two depend on the machine.
    #expect(counts.allSatisfy { $0 * 10 > profile.running }, "\(counts) of \(profile.running)")
    #expect(counts.reduce(0, +) * 2 > profile.running, "\(counts) of \(profile.running)")
  }

  @Test(
    .enabled(if: TestCommand.hasTool("python3"), "there is no python3 here"))
  func `stacks of an interpreter are complete and contain its evaluation function`() throws {
    let perfkit = try TestCommand()
    let script = "x = 0\nfor i in range(5000000): x += i * i % 7\n"
    let result = perfkit("record", "--all", "--no-report", "--", "python3", "-c", script)
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    #expect(profile.complete * 20 >= profile.samples * 19, "\(profile)")
    let inLoop = profile.stacks.samples { $0.contains("_PyEval_EvalFrameDefault") }
    #expect(inLoop * 2 > profile.running, "\(inLoop) of \(profile.running)")
  }

  private static let hasRust = TestCommand.hasTool("rustc") && TestCommand.hasTool("c++filt")

  @Test(
    .enabled(if: Self.hasRust, "there is no rustc or no c++filt here"),
    arguments: [
      // Both mangling schemes, each from debug information and from the symbol table.
      ["-C", "debuginfo=1"], ["-C", "strip=debuginfo"],
      ["-C", "symbol-mangling-version=v0", "-C", "debuginfo=1"],
      ["-C", "symbol-mangling-version=v0", "-C", "strip=debuginfo"],
    ])
  func `a program in Rust has named threads, functions and panics`(flags: [String]) throws {
    let perfkit = try TestCommand()
    try perfkit.compile(
      by: ["rustc", "-O"] + flags + [TestCommand.programSources + "/shelves.rs", "-o", "shelves"])
    let result = perfkit("record", "--all", "--no-report", "--", perfkit.folder("shelves"))
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    // libgcc overwrites saved registers of a frame before it continues in a handler: about 1.3 % of
    // the samples of a thread that only throws have no complete stack.
    #expect(profile.complete * 100 >= profile.samples * 95, "\(profile)")
    let lines = profile.stacks.lines
    let weighing = lines.filter {
      $0.hasPrefix("shelver;") && $0.contains(";shelves::shelf::total")
        && $0.contains(";<shelves::shelf::Small as shelves::shelf::Cover>::weight ")
    }
    #expect(!weighing.isEmpty, "\(lines)")
    #expect(lines.contains { $0.contains(";_Unwind_RaiseException") }, "\(lines)")
    #expect(!lines.contains { $0.contains("$LT$") || $0.contains(";_R") }, "\(lines)")
  }

  @Test func `a missing command is reported with the searched path`() throws {
    let perfkit = try TestCommand()
    let result = perfkit("record", "--all", "--", "no-such-command")
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot find the command 'no-such-command' (looked at /"))
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
}
