import Foundation
import Glibc
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record` of programs that begin, load libraries or end in unusual ways.
struct UnusualProgramTests {
  @Test func `a program whose first thread ends early ends with its last thread`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "leaves.c", "-o", "leaves", "-lpthread")
    for words in [[], ["another"]] {
      let result = perfkit.run(
        [
          "record", "--all", "--no-report", "--engine", "signal", "--", "/bin/sh", "-c",
          "exec \"$0\" \"$@\" > out.txt",
        ]
        .map { $0.replacing("out.txt", with: perfkit.folder("out.txt")) }
          + [perfkit.folder("leaves")] + words)
      #expect(result.status == .done, "\(result.errors)")
      // Its exit handlers run in a thread that does not block signals.
      #expect(
        try String(contentsOfFile: perfkit.folder("out.txt"), encoding: .utf8) == "ended, open\n")
      #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work ") } > 0)
    }
  }

  @Test func `waits and memory are recorded after the first thread has ended`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "rests.c", "-o", "rests", "-lpthread")
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--", perfkit.folder("rests"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.says("[clock_nanosleep] rest "))
    #expect(!result.says("[clock_nanosleep] - "))
    let run = try perfkit("show", "latest", "--format", "json").json()
    let metrics = try #require(run["metrics"] as? [[String: Any]])
    let mean = metrics.first { $0["name"] as? String == "rss.mean" }?["median"] as? Double
    // The program has 64 MiB nearly all of the time. For a thread that has ended the kernel reports
    // 0.
    #expect(try #require(mean) > Double(32 << 20))
  }

  @Test func `a library that was loaded and not called has no samples`() throws {
    let perfkit = try TestCommand()
    for name in ["idle", "busy"] {
      try perfkit.compileLibrary("lib\(name).so", with: name)
    }
    try perfkit.compile(program: "turns.c", "-o", "turns", "-ldl")
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--", perfkit.folder("turns"),
      perfkit.folder("libidle.so"),
      perfkit.folder("libbusy.so"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("exited with"))
    let profile = try LatestProfile(perfkit)
    #expect(profile.stacks.samples { $0.contains(";busy ") } > 0)
    // The library at the same address, which is unloaded before this one is loaded.
    #expect(profile.stacks.samples { $0.contains(";idle ") } == 0, "\(profile.stacks.lines)")
  }

  @Test func `hundreds of libraries are listed, also in a child`() throws {
    let perfkit = try TestCommand()
    let count = 400
    try perfkit.compileLibrary("0.so", with: "last")
    // With paths of 200 characters the list takes 120 KB.
    let folder = perfkit.folder(
      String(repeating: "f", count: max(1, 200 - perfkit.folder.path.count)))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for index in 0..<count {
      try FileManager.default.copyItem(
        atPath: perfkit.folder("0.so"), toPath: "\(folder)/\(index).so")
    }
    try perfkit.compile(program: "many.c", "-o", "many", "-ldl")
    let script = "\(perfkit.folder("many")) \(folder) \(count); exit $?"
    for options in [[], ["--follow"]] {
      let result = perfkit.run(
        ["record", "--all", "--no-report", "--engine", "signal"] + options + ["--"]
          + (options.isEmpty
            ? [perfkit.folder("many"), folder, "\(count)"] : ["/bin/sh", "-c", script]))
      #expect(result.status == .done, "\(result.errors)")
      #expect(!result.errors.contains("exited with"))
      let profile = try LatestProfile(perfkit)
      let inLast = profile.stacks.samples { $0.contains(";main;last ") }
      #expect(inLast * 2 > profile.running, "\(inLast) of \(profile.running)")
    }
  }

  @Test func `a program that is started by the loader has its own names`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "burn.c", "-DNAME=work", "-DROUNDS=300000000", "-o", "loaded")
    #if arch(x86_64)
    let loader = "/lib64/ld-linux-x86-64.so.2"
    #else
    let loader = "/lib/ld-linux-aarch64.so.1"
    #endif
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--", loader, perfkit.folder("loaded")
    )
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    let inWork = profile.stacks.samples { $0.contains(";main;work ") }
    #expect(inWork * 2 > profile.running, "\(profile.stacks.lines)")
  }

  @Test(.enabled(if: TestCommand.mayBeRealTime, "real-time priority is not permitted here"))
  func `a real-time program is sampled`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "greedy.c", "-o", "greedy", "-lpthread")
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--", "chrt", "-f", "1",
      perfkit.folder("greedy"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("of CPU time that the program used"), "\(result.errors)")
    #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work ") } > 0)
  }

  @Test func `CPU time of children that are not sampled is reported`() throws {
    let perfkit = try TestCommand()
    let loop = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
    let script = "(\(loop)); \(loop.replacing("300000", with: "20000"))"
    let alone = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--", "/bin/sh", "-c", script)
    #expect(alone.status == .done, "\(alone.errors)")
    #expect(alone.errors.contains("perfkit record --follow"), "\(alone.errors)")
    let followed = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--follow", "--", "/bin/sh", "-c",
      script)
    #expect(!followed.errors.contains("that the child processes used"), "\(followed.errors)")
    #expect(!followed.errors.contains("perfkit record --follow"), "\(followed.errors)")
  }

  @Test func `CPU time of children that cannot be followed is reported`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(
      program: "burn.c", "-DNAME=work", "-DROUNDS=300000000", "-static", "-o", "static")
    let script = "\(perfkit.folder("static")); i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--follow", "--", "/bin/sh", "-c",
      script)
    #expect(result.status == .done, "\(result.errors)")
    #expect(
      result.says("of CPU time that the child processes used"), "\(result.errors)")
  }
}

extension TestCommand {
  /// Whether a process may have real-time priority here.
  fileprivate static var mayBeRealTime: Bool {
    var parameters = sched_param(sched_priority: 1)
    guard hasTool("chrt"), sched_setscheduler(0, SCHED_FIFO, &parameters) == 0 else { return false }
    parameters.sched_priority = 0
    return sched_setscheduler(0, SCHED_OTHER, &parameters) == 0
  }
}
