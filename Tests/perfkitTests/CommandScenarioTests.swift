import Foundation
import Glibc
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Scenarios of plain commands, measured by the real harness and the real agent.
struct CommandScenarioTests {
  @Test func `a crashed command is stored with its signal and exits with 2`() throws {
    let perfkit = try TestCommand.measuring("crash", #"[/bin/sh, -c, "kill -SEGV $$"]"#)
    let result = perfkit("run", "--all", "crash", "--no-report", "--format", "json")
    #expect(result.status == .failed)
    #expect(result.errors.contains("crash:plain has no result: no launch completed"))
    let run = try result.json()
    let iterations = try #require(run["iterations"] as? [[String: Any]])
    #expect(iterations.map { $0["status"] as? String } == ["crashed", "crashed"])
    #expect(iterations.map { $0["signal"] as? String } == ["SIGSEGV", "SIGSEGV"])
    // The run is stored.
    #expect(perfkit("show", "latest").output.contains("crashed (SIGSEGV)"))
  }

  /// The first launch is made even if no time is left.
  @Test func `a time limit that ends before the first measured launch is reported`() throws {
    let perfkit = try TestCommand.measuring(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 100 s]", warmup: 1)
    let words = ["--max-time", "1ns"]
    let reason = "--max-time was over before the first measured launch"
    let result = perfkit.run(["run", "--all", "quick", "--no-report"] + words)
    #expect(result.status == .failed)
    #expect(result.errors.contains("quick:plain has no result: \(reason)."))
    #expect(!result.errors.contains("no launch completed"))
    let gate = perfkit.run(
      ["gate", "--all", "quick", "--budgets-only", "--junit", "junit.xml"] + words)
    #expect(gate.status == .failed)
    let junit = try String(contentsOfFile: perfkit.folder("junit.xml"), encoding: .utf8)
    #expect(junit.contains("<error message=\"\(reason)\"/>"), "\(junit)")
  }

  @Test func `a hanging command is killed at its timeout, and the run continues`() throws {
    let perfkit = try TestCommand.measuring("hang", "[/bin/sleep, '1000']", timeout: "300ms")
    let result = perfkit("run", "--all", "hang", "--no-report")
    #expect(result.status == .failed)
    #expect(result.prints("2 timed out. A launch was killed at its time limit of 300 ms."))
    #expect(result.prints("launch.timed_out"))
  }

  @Test func `a run and its repetition begin with the metrics of the scenario's gate`() throws {
    let perfkit = try TestCommand.measuring(
      "gated", "[/bin/true]", more: "gate: { metrics: { faults.minor: {} } }")
    let made = perfkit("run", "--brief", "gated", "--no-report", "--no-profile").output
    for text in [made, perfkit("show", "--brief").output] {
      let gating = try #require(text.firstRange(of: "faults.minor")?.lowerBound)
      let wall = try #require(text.firstRange(of: "wall")?.lowerBound)
      #expect(gating < wall, "\(text)")
    }
  }

  @Test func `a command above its memory limit is killed, as on a device`() throws {
    // dd holds a block of 300 MB; fullblock, as a signal of the sampler shortens a read.
    let words = "[/bin/dd, if=/dev/zero, of=/dev/null, bs=300M, count=1000, iflag=fullblock]"
    let perfkit = try TestCommand.measuring(
      "jetsam", words, iterations: 1,
      more: "parameters: { jetsam_limit: 50 MB }\nbudgets: [mean(crash.rate) <= 0%]")
    let result = perfkit("run", "--all", "jetsam", "--no-report", "--format", "json")
    let run = try result.json()
    let iterations = try #require(run["iterations"] as? [[String: Any]])
    #expect(iterations.map { $0["status"] as? String } == ["jetsam"])
    let budgets = try #require(run["budgets"] as? [[String: Any]])
    #expect(budgets.first?["value"] as? Double == 1)
    // The kill is the measured result, so that the run has a verdict.
    #expect(result.status == .done)
    #expect(perfkit("gate", "--all", "jetsam", "--budgets-only").status == .gateFailed)
  }

  @Test func `a run contains the exit code and the last output of a failed command`() throws {
    let perfkit = try TestCommand.measuring(
      "fail", #"[/bin/sh, -c, "echo oh no >&2; exit 3"]"#, iterations: 1)
    let result = perfkit("run", "--all", "fail", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("it exited with 3; its last errors: oh no"))
  }

  @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/pressure/cpu")))
  func `the launches of a command have the stalls of the machine`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]")
    let run = try perfkit("run", "--all", "quick", "--no-report", "--format", "json").json()
    let iterations = try #require(run["iterations"] as? [[String: Any]])
    let metrics = iterations.compactMap { $0["metrics"] as? [String: Double] }
    #expect(metrics.count == 2)
    #expect(metrics.allSatisfy { $0["psi.cpu"] != nil && $0["psi.memory"] != nil })
    // Stalls are read before the launch and after its end.
    #expect(metrics.allSatisfy { ($0["psi.window"] ?? 0) >= ($0["wall"] ?? .infinity) })
  }

  @Test func `a missing program is reported before anything is measured`() throws {
    let perfkit = try TestCommand.measuring("none", "[/nowhere/program]")
    let result = perfkit("run", "--all", "none")
    #expect(result.status == .failed)
    #expect(result.errors.contains("'/nowhere/program'"))
    #expect(perfkit("list", "runs").errors.contains("there are no runs yet"))
  }

  @Test(arguments: [
    ["run", "--all", "static"], ["gate", "--all", "static", "--budgets-only"],
    ["diff", "--all", "--scenario", "static", "--variant", "plain", "--variant", "other"],
  ])
  func `a command that cannot load the agent is refused with the reason`(
    words: [String]
  ) throws {
    let perfkit = try TestCommand()
    try perfkit.scenario(
      "static",
      """
      scenario: static
      summary: A static program.
      command: [\(try Self.statically.get())]
      variants: { plain: {}, other: {} }
      default_variant: plain
      budgets: [max(wall) <= 100 s]
      """)
    let result = perfkit.run(words)
    #expect(result.status == .failed)
    // A table may break lines anywhere.
    let said = (result.errors + result.output).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(said.contains("it is statically linked, so the agent cannot be preloaded"))
    #expect(said.contains("--no-profile"))
    #expect(said.contains("Use --engine perf, or link it dynamically"))
  }

  @Test func `a command that cannot load the agent can be measured without a profile`() throws {
    let perfkit = try TestCommand.measuring(
      "static", "[\(try Self.statically.get())]", iterations: 1)
    #expect(perfkit("run", "--all", "static", "--no-profile", "--no-report").status == .done)
  }

  @Test(.enabled(if: getuid() == 0, "only root can give a file to somebody else"))
  func `a setuid program is refused with a profile`() throws {
    let perfkit = try TestCommand()
    let program = perfkit.folder("p")
    try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: program)
    #expect(chown(program, 1, 1) == 0 && chmod(program, 0o4755) == 0)
    try perfkit.scenario(
      "privileged",
      """
      scenario: privileged
      summary: A setuid program.
      command: [\(program), '0']
      variants: { plain: {} }
      default_variant: plain
      iterations: 1
      warmup: 0
      """)
    for words in [
      ["run", "--all", "privileged"], ["record", "--engine", "signal", "--", program, "0"],
    ] {
      let result = perfkit.run(words)
      #expect(result.status == .failed)
      #expect(result.errors.contains("it gains rights"))
    }
  }

  /// The path of a program without dynamic loader, compiled once.
  private static let statically = Result<String, any Error> {
    let program = try TemporaryFolder.forAllTests()("static")
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The GNU linker: gold cannot make every kind of static program.
    compiler.arguments = [
      "clang", "-static", "-fuse-ld=bfd", "-x", "c", "-o", program, "-",
    ]
    let source = Pipe()
    compiler.standardInput = source
    try compiler.run()
    try source.fileHandleForWriting.write(contentsOf: Data("int main(void) { return 0; }".utf8))
    try source.fileHandleForWriting.close()
    compiler.waitUntilExit()
    return program
  }

  @Test func `budgets determine the exit status only with --exit-code`() throws {
    let perfkit = try TestCommand.measuring(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 1 ns, max(rss.peak) <= 100 GB]")
    #expect(perfkit("run", "--all", "quick", "--no-report").status == .done)
    #expect(perfkit("run", "--all", "quick", "--no-report", "--exit-code").status == .gateFailed)
  }

  @Test func `the error of a folder that cannot be made contains a remedy`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]")
    try FileManager.default.createDirectory(
      atPath: perfkit.folder(".perfkit"), withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: perfkit.folder(".perfkit/scratch")))
    let result = perfkit("run", "--all", "quick", "--no-report")
    #expect(result.status == .failed)
    #expect(result.errors.contains("perfkit: cannot write '"), "\(result.errors)")
    #expect(result.errors.contains("/.perfkit/scratch/r"))
    #expect(result.errors.contains("Free some space or fix its permissions"))
  }

  @Test func `a scenario that cannot be measured does not hide the others`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]", iterations: 1)
    try perfkit.scenario(
      "missing",
      """
      scenario: missing
      summary: Its program disappears between check and launch.
      command: [\(perfkit.folder("program"))]
      variants: { plain: {} }
      default_variant: plain
      iterations: 1
      warmup: 0
      """)
    let program = perfkit.folder("program")
    try Executable.write("not a program", to: program)
    let result = perfkit("run", "--all", "quick", "missing", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("quick:plain"))
    #expect(result.errors.contains(program))
  }
}
