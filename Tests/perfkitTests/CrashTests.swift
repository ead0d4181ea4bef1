import Foundation
import PerfGate
import PerfProfile
import PerfTestSupport
import Testing

@testable import perfkit

/// Measured programs that die by a signal.
struct CrashTests {
  private func run(
    _ way: String, _ more: String..., flags: [String] = []
  ) throws -> TestCommand.Result {
    let perfkit = try TestCommand()
    try perfkit.compile(
      by: ["clang", "-O1", "-g", TestCommand.programSources + "/crash.c", "-o", "crash"] + flags)
    return perfkit.run(
      ["run", "--iterations", "2", "--warmup", "0", "--no-report"] + more
        + ["--", perfkit.folder("crash"), way])
  }

  @Test(arguments: [
    ("segv", "SIGSEGV at 0x10 in inner (crash.c:14) < outer (crash.c:21) < main (crash.c:"),
    // Before the ticker has listed the modules.
    ("early", "SIGSEGV at 0x10 in inner (crash.c:11) < outer (crash.c:21) < main (crash.c:"),
    ("trap", "SIGILL at 0x"), ("abort", "SIGABRT in "), ("raise", "SIGSEGV in "),
    // A handler of the program runs first, and restores the default action.
    ("report", "SIGSEGV at 0x10 in inner (crash.c:14) < outer (crash.c:21) < main (crash.c:"),
    ("report_again", "SIGSEGV in inner (crash.c:14) < outer (crash.c:21) < main (crash.c:"),
  ])
  func `a crash is reported with its stack`(way: String, text: String) throws {
    let result = try run(way)
    #expect(result.status == .failed)
    let said = result.output + result.errors
    let words = said.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("died of \(text)"), "\(said)")
    #expect(words.contains("< outer (crash.c:21) < main"), "\(said)")
    // It is said once, not for each launch.
    #expect(words.components(separatedBy: "died of").count == 2, "\(said)")
  }

  @Test(arguments: [
    ("overflow", "descend", "-O1"), ("overflow thread", "descend", "-O1"),
    ("overflow far", "descend_far", "-fno-omit-frame-pointer"),
    ("overflow thread far", "descend_far", "-fno-omit-frame-pointer"),
  ])
  func `a stack overflow is reported with its stack if a handler has one`(
    way: String, function: String, flag: String
  ) throws {
    let result = try run(way, flags: [flag, "-pthread"])
    #expect(result.status == .failed)
    let said = result.output + result.errors
    let words = said.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("died of SIGSEGV at 0x"), "\(said)")
    #expect(words.contains(" in \(function) (crash.c:"), "\(said)")
    #expect(words.contains("< \(function) (crash.c:"), "\(said)")
  }

  @Test(arguments: [
    (
      "signal", "overflow plain slowly",
      "the stack overflowed, the program handled or blocked the signal",
      "in descend_slowly (crash.c:42) < descend_slowly (crash.c:43) < descend_slowly"
    ),
    (
      "signal", "blocked", "the stack overflowed, the program handled or blocked the signal",
      "in inner (crash.c:13) < outer (crash.c:21) < main"
    ),
    (
      "perf", "segv", "the kernel's engine takes none",
      // The last sample may be in the kernel's handling of the crash.
      "< outer (crash.c:21) < main"
    ),
  ])
  func `a crash that leaves no stack is reported with the reason and the last sample`(
    engine: String, way: String, reason: String, stack: String
  ) throws {
    guard engine == "signal" || EventSession.obstacle() == nil else { return }
    let result = try run(way, "--all", "--engine", engine)
    #expect(result.status == .failed)
    #expect(
      result.prints("launch 0 died of SIGSEGV and left no stack: \(reason)"), "\(result.output)")
    #expect(result.prints("before its end, is in "), "\(result.output)")
    #expect(result.prints(stack), "\(result.output)")
  }

  @Test func `a call through a null pointer is reported with the calling function`() throws {
    let result = try run("null", "--all")
    #expect(result.prints("died of SIGSEGV in [unknown] < dispatch (crash.c:"), "\(result.output)")
  }

  @Test func `the stored run and its report name the stack of a crash`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "crash.c", "-g", "-o", "crash")
    let result = perfkit(
      "run", "--iterations", "1", "--warmup", "0", "--no-report", "--", perfkit.folder("crash"),
      "segv")
    #expect(result.status == .failed)
    let text = "died of SIGSEGV at 0x10 in inner (crash.c:14)"
    let shown = perfkit("show", "latest")
    #expect(shown.prints(text), "\(shown.output)")
    #expect(perfkit("report", "latest", "--report", "out").status == .done)
    let page = try String(contentsOfFile: perfkit.folder("out/crash-segv.html"), encoding: .utf8)
    #expect(page.contains(text))
  }

  @Test func `different crashes of a run keep their stacks`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "crash.c", "-g", "-o", "crash")
    let crash = perfkit.folder("crash")
    let script =
      "if mkdir '\(perfkit.folder("first"))'; then exec '\(crash)' segv; fi; exec '\(crash)' abort"
    let result = perfkit(
      "run", "--iterations", "3", "--warmup", "0", "--no-report", "--", "sh", "-c", script)
    #expect(result.status == .failed)
    let shown = perfkit("show", "latest")
    #expect(shown.prints("launch 0 died of SIGSEGV at 0x10 in inner"), "\(shown.output)")
    #expect(shown.prints("launch 1 died of SIGABRT in "), "\(shown.output)")
    #expect(!shown.prints("launch 2 died of"), "\(shown.output)")
  }

  @Test func `a gate and its JUnit file name the stack of a crash`() throws {
    let repository = try TestRepository()
    let source = try String(
      contentsOfFile: TestCommand.programSources + "/crash.c", encoding: .utf8)
    try repository.write("work.c", source)
    try repository.perfkit.compile(by: ["sh", "build.sh"])
    let result = repository.perfkit(
      "gate", "--budgets-only", "--all", "--junit", repository.root + "/junit.xml")
    #expect(result.status == .failed, "\(result.errors)")
    let text = "died of SIGSEGV at 0x10 in inner (work.c:14)"
    #expect(result.prints(text), "\(result.output)")
    let junit = try String(contentsOfFile: repository.root + "/junit.xml", encoding: .utf8)
    #expect(junit.contains(text), "\(junit)")
  }

  @Test func `a program keeps its own handler of a crash`() throws {
    let result = try run("own", "--accept-exit", "3")
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.prints("died of"))
  }

  /// With POSIX alone, `signal` is another function of the C library.
  @Test(arguments: [[], ["-std=c17", "-D_POSIX_C_SOURCE=200809L"]])
  func `the agent's handlers appear to be the default action`(flags: [String]) throws {
    let result = try run("look", flags: flags)
    #expect(result.status == .done, "\(result.errors)")
  }

  @Test func `a crash without a profile is reported without a stack`() throws {
    let result = try run("segv", "--no-profile")
    #expect(result.status == .failed)
    #expect(result.says("crashed (SIGSEGV)") || result.prints("crashed (SIGSEGV)"))
    #expect(!result.prints("died of") && !result.says("died of"))
  }
}
