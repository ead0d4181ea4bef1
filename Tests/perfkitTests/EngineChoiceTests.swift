import Foundation
import Glibc
import PerfGate
import PerfProfile
import PerfTestSupport
import Testing

@testable import perfkit

/// The choice between the engines, and their effects on the recorded program.
struct EngineChoiceTests {
  private let perfkit: TestCommand

  /// Whether the kernel lets this user sample.
  private static let isAllowed = EventSession.obstacle() == nil

  init() throws {
    perfkit = try TestCommand()
    try perfkit.compile(program: "shares.c", "-g", "-o", "shares")
  }

  private func record(_ words: String...) -> TestCommand.Result {
    perfkit.run(["record", "--all", "--no-report"] + words)
  }

  @Test(.enabled(if: isAllowed))
  func `record prefers the kernel, and each profile says which engine ran and why`() throws {
    for (options, engine, reason) in [
      ([], "perf", "it changes nothing in the program"),
      (["--engine", "signal"], "signal", "chosen by --engine"),
      (["--signal", "USR2"], "signal", "chosen by --signal"),
      (["--allocations"], "signal", "the kernel sees no allocations"),
    ] as [([String], String, String)] {
      let result = perfkit.run(
        ["record", "--all", "--no-report"] + options + [
          "--", perfkit.folder("shares"), "user", "0.2",
        ])
      #expect(result.status == .done, "\(result.errors)")
      #expect(!result.says("signal sampled the program"), "\(result.errors)")
      let profile = try #require(
        perfkit("show", "latest", "--format", "json").json()["profile"] as? [String: Any])
      #expect(profile["engine"] as? String == engine)
      #expect(profile["engine_reason"] as? String == reason)
      #expect(perfkit("show", "latest").prints("engine \(engine) (\(reason))"))
    }
  }

  // MARK: - Refusals

  /// Runs the command where the kernel refuses to sample.
  private func runRefused(_ words: [String]) throws -> (
    status: Int32, output: String, errors: String
  ) {
    try perfkit.compile(program: "refuses.c", "-o", "refuses")
    return try perfkit.runProcess(
      perfkit.folder("refuses"), [TestCommand.programs + "/perfkit"] + words)
  }

  @Test func `where the kernel refuses to sample, a signal does, with the way to allow the kernel`()
    throws
  {
    let program = ["--", perfkit.folder("shares"), "user", "0.5"]
    let fallen = try runRefused(["record", "--all", "--no-report"] + program)
    #expect(fallen.status == 0, "\(fallen.errors)")
    #expect(fallen.errors.contains("engine signal (the kernel refuses to sample)"))
    #expect(fallen.errors.contains("signal sampled the program: its long reads and writes may"))
    #expect(fallen.errors.contains("CAP_PERFMON"), "\(fallen.errors)")
    #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work_most") } > 100)
  }

  @Test
  func `the kernel's engine and --pid fail where the kernel refuses, with the way to allow it`()
    throws
  {
    let program = ["--", perfkit.folder("shares"), "user", "0.5"]
    for words in [["--engine", "perf"] + program, ["--pid", "1", "--duration", "1ms"]] {
      let refused = try runRefused(["record", "--all", "--no-report"] + words)
      #expect(refused.status == 2, "\(refused.errors)")
      #expect(refused.errors.contains("sampling by the kernel is not possible"))
      #expect(refused.errors.contains("CAP_PERFMON"), "\(refused.errors)")
      #expect(refused.errors.contains("Or use --engine signal.") == words.contains("perf"))
    }
    let doctor = try runRefused(["doctor", "--format", "json"])
    #expect(doctor.output.contains("and --pid is not possible"), "\(doctor.output)")
  }

  @Test func `a static program is refused where the kernel refuses, with both ways to profile it`()
    throws
  {
    try perfkit.compile(program: "shares.c", "-static", "-o", "static")
    let refused = try runRefused(
      ["record", "--all", "--no-report", "--", perfkit.folder("static"), "user", "0.1"])
    #expect(refused.status == 2)
    #expect(refused.errors.contains("Link it dynamically"), "\(refused.errors)")
    #expect(refused.errors.contains("Or let the kernel sample it:"), "\(refused.errors)")
    #expect(!refused.errors.contains("Use --engine perf"))
  }

  // MARK: - Measuring

  @Test(.enabled(if: isAllowed))
  func `run samples a command by the kernel on request, also a static one`() throws {
    try perfkit.compile(program: "shares.c", "-g", "-static", "-o", "static")
    func run(_ options: String...) -> TestCommand.Result {
      perfkit.run(
        ["run", "--all", "--no-report", "--iterations", "2", "--warmup", "0"] + options
          + ["--", perfkit.folder("static"), "user", "0.3"])
    }
    let refused = run()
    #expect(refused.status == .failed && refused.says("Use --engine perf, or link it dynamically"))
    let result = run("--engine", "perf")
    #expect(result.status == .done, "\(result.errors)")
    let shown = try perfkit("show", "latest", "--format", "json").json()
    let profile = try #require(shown["profile"] as? [String: Any])
    #expect(profile["engine"] as? String == "perf")
    #expect(profile["engine_reason"] as? String == "chosen by --engine")
    // 70 % of two launches of 0.3 s, at 1 kHz.
    #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work_most") } > 200)
    // Without samples the engine does not matter.
    #expect(run("--engine", "perf", "--no-profile").status == .done)
  }

  @Test(.enabled(if: isAllowed))
  func `the kernel samples a worker, whose phases and frames its agent marks`() throws {
    try perfkit.scenario(
      "work",
      """
      scenario: work
      summary: A worker.
      workload: bench.phases
      worker: BenchWorkloads
      parameters: { seconds: 1, refresh: 1000 }
      variants: { plain: {} }
      default_variant: plain
      iterations: 2
      warmup: 0
      """)
    let result = perfkit("run", "--all", "--no-report", "--engine", "perf", "work")
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    #expect(profile.complete * 100 >= profile.samples * 99)
    func samples(_ options: String...) -> CollapsedStacks {
      CollapsedStacks(
        perfkit.run(["export", "latest", "--to", "collapsed", "-o", "-"] + options).output)
    }
    // The counts of its loops give the phases 67, 18, 12 and 3 % of the time. The phase's frames take
    // about 5 ms, so that they miss each refresh of 1 kHz.
    let all = Double(profile.running)
    let layout = samples("--phase", "layout")
    // Four standard errors where a busy machine leaves few samples.
    let tolerance = max(0.06, 4 * (0.67 * 0.33 / all).squareRoot())
    #expect(abs(Double(layout.samples()) / all - 0.67) < tolerance, "\(layout.samples()) of \(all)")
    let own = Double(layout.samples { $0.contains("layout") })
    #expect(own > 0.98 * Double(layout.samples()))
    #expect(Double(samples("--only-missed-frames").samples()) > 0.95 * all)
    let run = try perfkit("show", "latest", "--format", "json").json()
    let stored = try #require(run["profile"] as? [String: Any])
    #expect(stored["engine"] as? String == "perf")
    #expect(stored["engine_reason"] as? String == "chosen by --engine")
  }

  @Test(.enabled(if: isAllowed && geteuid() == 0 && TestCommand.hasTool("setpriv")))
  func `a user who may not sample the kernel samples the code of programs`() throws {
    let path = "/proc/sys/kernel/perf_event_paranoid"
    guard try String(contentsOfFile: path, encoding: .utf8) == "2\n" else { return }
    func run(_ words: [String]) throws -> (status: Int32, output: String, errors: String) {
      try perfkit.runProcess(
        "/usr/bin/setpriv",
        ["--bounding-set=-sys_admin,-perfmon", "--inh-caps=-sys_admin,-perfmon"]
          + [TestCommand.programs + "/perfkit"] + words)
    }
    let program = ["--", perfkit.folder("shares"), "kernel", "0.5"]
    let chosen = try run(["record", "--all", "--no-report", "--engine", "perf"] + program)
    #expect(chosen.status == 0, "\(chosen.errors)")
    #expect(chosen.errors.contains("time in the kernel and waits have no samples"))
    #expect(!chosen.errors.contains("a signal sampled the program"), "\(chosen.errors)")
    let stacks = try LatestProfile(perfkit).stacks
    // Half of the time is in the kernel.
    #expect(stacks.samples { $0.contains(";work_user") } > 100)
    #expect(stacks.samples { $0.contains("[kernel]") } == 0, "\(stacks.lines)")
    let automatic = try run(["record", "--all", "--no-report"] + program)
    #expect(automatic.errors.contains("engine signal (the kernel refuses to sample)"))
    #expect(try run(["doctor"]).output.contains("of the code of programs only"))
  }

  @Test
  func `the kernel's engine is refused for allocations and where the kernel refuses`() throws {
    let heap = perfkit("run", "--engine", "perf", "--allocations", "--", "true")
    #expect(heap.status == .usage && heap.says("--allocations needs --engine signal"))
    let refused = try runRefused(["run", "--no-report", "--engine", "perf", "--", "true"])
    #expect(refused.status == 2)
    #expect(refused.errors.contains("sampling by the kernel is not possible"), "\(refused.errors)")
  }

  @Test func `each measured profile names the option that chose the engine, or the default`()
    throws
  {
    for (options, reason) in [
      ([], "the default for commands, which needs no permission"),
      (["--engine", "signal"], "chosen by --engine"),
      (["--signal", "USR2"], "chosen by --signal"),
      (["--allocations"], "the kernel sees no allocations"),
    ] as [([String], String)] {
      let result = perfkit.run(
        ["run", "--all", "--no-report", "--iterations", "2", "--warmup", "0"] + options
          + ["--", perfkit.folder("shares"), "user", "0.2"])
      #expect(result.status == .done, "\(result.errors)")
      let profile = try #require(
        perfkit("show", "latest", "--format", "json").json()["profile"] as? [String: Any])
      #expect(profile["engine"] as? String == "signal")
      #expect(profile["engine_reason"] as? String == reason)
    }
  }

  // MARK: - Locked memory

  @Test(.enabled(if: isAllowed && geteuid() == 0 && TestCommand.hasTool("setpriv")))
  func `a user who may lock little memory is sampled with smaller rings`() throws {
    // Rings of 128 KiB fit into this limit. Rings of 4 MiB do not, even with the kernel's default of
    // 516 KiB for each CPU.
    let script = """
      ulimit -l $((256 * $(nproc --all))) \
        && exec setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock "$@"
      """
    let result = try perfkit.runProcess(
      "/bin/sh",
      [
        "-c", script, "sh", TestCommand.programs + "/perfkit", "record", "--all", "--no-report",
        "--engine", "perf", "--stack-size", "4", "--", perfkit.folder("shares"), "user", "0.5",
      ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work_most") } > 100)
  }

  // MARK: - Effects on programs

  @Test(.enabled(if: isAllowed))
  func `the kernel's sampling does not shorten transfers`() throws {
    let copy = perfkit.folder("copy")
    // A signal ends a read of random bytes (getrandom(2), "Interruption by a signal handler").
    let result = record(
      "--rate", "4000", "--", "dd", "if=/dev/urandom", "of=\(copy)", "bs=1M", "count=32")
    #expect(result.status == .done, "\(result.errors)")
    #expect(FileManager.default.contents(atPath: copy)?.count == 32 << 20)
  }

  @Test func `a program with ThreadSanitizer is refused by the agent and sampled by the kernel`()
    throws
  {
    try perfkit.compile(
      program: "shares.c", "-g", "-fsanitize=thread", "-c", "-o", "sanitized.o")
    // The sanitizer's library needs Dispatch, which swiftc links.
    try perfkit.compile(by: ["swiftc", "-sanitize=thread", "sanitized.o", "-o", "sanitized"])
    let program = ["--", perfkit.folder("sanitized"), "user", "1"]
    let refused = perfkit.run(["record", "--all", "--engine", "signal"] + program)
    #expect(refused.status == .failed)
    #expect(refused.says("it is built with ThreadSanitizer"), "\(refused.errors)")
    #expect(refused.says("Use --engine perf, or build it without the sanitizer."))
    guard Self.isAllowed else { return }
    // Without the option the kernel is chosen.
    let result = perfkit.run(["record", "--all", "--no-report"] + program)
    #expect(result.status == .done, "\(result.errors)")
    let stacks = try LatestProfile(perfkit).stacks
    let inWork = stacks.samples { $0.contains(";work_") }
    #expect(inWork * 10 > stacks.samples() * 8, "\(inWork) of \(stacks.samples())")
  }
}
