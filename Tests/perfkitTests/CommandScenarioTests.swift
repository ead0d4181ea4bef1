import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import perfkit

/// Scenarios of plain commands, measured by the real harness and the real agent.
struct CommandScenarioTests {
  private func command(
    _ name: String, _ words: String, iterations: Int = 2, timeout: String = "60s",
    more: String = "", warmup: Int = 0
  ) throws -> TestCommand {
    let command = try TestCommand()
    try command.scenario(
      name,
      """
      scenario: \(name)
      summary: A command.
      command: \(words)
      variants: { plain: {} }
      default_variant: plain
      iterations: \(iterations)
      warmup: \(warmup)
      timeout: \(timeout)
      \(more)
      """)
    return command
  }

  @Test func `a crashed command is stored with its signal and exits with 2`() throws {
    let perfkit = try command("crash", #"[/bin/sh, -c, "kill -SEGV $$"]"#)
    let result = perfkit("run", "crash", "--no-report", "--format", "json")
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
    let perfkit = try command(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 100 s]", warmup: 1)
    let words = ["--max-time", "1ns"]
    let reason = "--max-time was over before the first measured launch"
    let result = perfkit.run(["run", "quick", "--no-report"] + words)
    #expect(result.status == .failed)
    #expect(result.errors.contains("quick:plain has no result: \(reason)."))
    #expect(!result.errors.contains("no launch completed"))
    let gate = perfkit.run(["gate", "quick", "--budgets-only", "--junit", "junit.xml"] + words)
    #expect(gate.status == .failed)
    let junit = try String(contentsOfFile: perfkit.folder("junit.xml"), encoding: .utf8)
    #expect(junit.contains("<error message=\"\(reason)\"/>"), "\(junit)")
  }

  @Test func `a hanging command is killed at its timeout, and the run continues`() throws {
    let perfkit = try command("hang", "[/bin/sleep, '1000']", timeout: "300ms")
    let result = perfkit("run", "hang", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("2 timed out"))
  }

  @Test func `a command above its memory limit is killed, as on a device`() throws {
    // dd holds a block of 300 MB; fullblock, as a signal of the sampler shortens a read.
    let words = "[/bin/dd, if=/dev/zero, of=/dev/null, bs=300M, count=1000, iflag=fullblock]"
    let perfkit = try command(
      "jetsam", words, iterations: 1,
      more: "parameters: { jetsam_limit: 50 MB }\nbudgets: [mean(crash.rate) <= 0%]")
    let result = perfkit("run", "jetsam", "--no-report", "--format", "json")
    let run = try result.json()
    let iterations = try #require(run["iterations"] as? [[String: Any]])
    #expect(iterations.map { $0["status"] as? String } == ["jetsam"])
    let budgets = try #require(run["budgets"] as? [[String: Any]])
    #expect(budgets.first?["value"] as? Double == 1)
    // The kill is the measured result, so that the run has a verdict.
    #expect(result.status == .done)
    #expect(perfkit("gate", "jetsam", "--budgets-only").status == .gateFailed)
  }

  @Test func `a run contains the exit code and the last output of a failed command`() throws {
    let perfkit = try command("fail", #"[/bin/sh, -c, "echo oh no >&2; exit 3"]"#, iterations: 1)
    let result = perfkit("run", "fail", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("it exited with 3; its last output: oh no"))
  }

  @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/pressure/cpu")))
  func `the launches of a command have the stalls of the machine`() throws {
    let perfkit = try command("quick", "[/bin/true]")
    let run = try perfkit("run", "quick", "--no-report", "--format", "json").json()
    let iterations = try #require(run["iterations"] as? [[String: Any]])
    let metrics = iterations.compactMap { $0["metrics"] as? [String: Double] }
    #expect(metrics.count == 2)
    #expect(metrics.allSatisfy { $0["psi.cpu"] != nil && $0["psi.memory"] != nil })
    // Stalls are read before the launch and after its end.
    #expect(metrics.allSatisfy { ($0["psi.window"] ?? 0) >= ($0["wall"] ?? .infinity) })
  }

  @Test func `a missing program is reported before anything is measured`() throws {
    let perfkit = try command("none", "[/nowhere/program]")
    let result = perfkit("run", "none")
    #expect(result.status == .failed)
    #expect(result.errors.contains("'/nowhere/program'"))
    #expect(perfkit("list", "runs").errors.contains("there are no runs yet"))
  }

  @Test(arguments: [
    ["run", "static"], ["gate", "static", "--budgets-only"],
    ["diff", "--scenario", "static", "--variant", "plain", "--variant", "other"],
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
      command: [\(Self.statically)]
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
  }

  @Test func `a command that cannot load the agent can be measured without a profile`() throws {
    let perfkit = try command("static", "[\(Self.statically)]", iterations: 1)
    #expect(perfkit("run", "static", "--no-profile", "--no-report").status == .done)
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
    for words in [["run", "privileged"], ["record", "--", program, "0"]] {
      let result = perfkit.run(words)
      #expect(result.status == .failed)
      #expect(result.errors.contains("it gains rights"))
    }
  }

  /// The path of a program without dynamic loader, compiled once.
  private static let statically: String = {
    var template = Array("/tmp/perfkit-static-XXXXXX".utf8CString)
    let folder = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The GNU linker: gold cannot make every kind of static program.
    compiler.arguments = [
      "clang", "-static", "-fuse-ld=bfd", "-x", "c", "-o", "\(folder)/static", "-",
    ]
    let source = Pipe()
    compiler.standardInput = source
    try? compiler.run()
    try? source.fileHandleForWriting.write(contentsOf: Data("int main(void) { return 0; }".utf8))
    try? source.fileHandleForWriting.close()
    compiler.waitUntilExit()
    return "\(folder)/static"
  }()

  @Test func `budgets determine the exit status only with --exit-code`() throws {
    let perfkit = try command(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 1 ns, max(rss.peak) <= 100 GB]")
    #expect(perfkit("run", "quick", "--no-report").status == .done)
    #expect(perfkit("run", "quick", "--no-report", "--exit-code").status == .gateFailed)
  }

  @Test func `a broken budget fails the gate, which writes its verdict`() throws {
    let perfkit = try command(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 1 ns]")
    let result = perfkit("gate", "quick", "--budgets-only")
    #expect(result.status == .gateFailed)
    #expect(result.output.contains("The gate failed: quick:plain (failed)."))
    let text = try String(
      contentsOfFile: perfkit.folder(".perfkit/verdict.json"), encoding: .utf8)
    let verdict = try jsonObject(text)
    #expect(verdict["status"] as? Int == 1)
    #expect(verdict["schema"] as? String == "perfkit.verdict/1")
  }

  @Test func `a gate without budgets and baseline is inconclusive`() throws {
    let perfkit = try command("quick", "[/bin/true]")
    let result = perfkit("gate", "quick", "--budgets-only", "--junit", "junit.xml")
    #expect(result.status == .inconclusive)
    let junit = try String(contentsOfFile: perfkit.folder("junit.xml"), encoding: .utf8)
    #expect(junit.contains(#"tests="1" failures="0" errors="0" skipped="1""#))
    #expect(perfkit("gate", "quick", "--budgets-only", "--inconclusive", "pass").status == .done)
  }

  @Test func `a gate whose launches all fail reports this in every file`() throws {
    let perfkit = try command(
      "fail", #"[/bin/sh, -c, "exit 3"]"#, more: "budgets: [max(wall) <= 100 s]")
    let result = perfkit(
      "gate", "fail", "--budgets-only", "--junit", "junit.xml", "--comment", "comment.md",
      "--github")
    #expect(result.status == .failed)
    let file = { try String(contentsOfFile: perfkit.folder($0), encoding: .utf8) }
    #expect(try file("junit.xml").contains(#"tests="2" failures="0" errors="1""#))
    #expect(try file("junit.xml").contains(#"<error message="no launch completed"/>"#))
    #expect(try file("comment.md").contains("- ❌ **fail:plain**: no launch completed"))
    #expect(result.errors.contains("::error file=Scenarios/fail.yml"))
  }

  @Test func `a broken budget is reported with the measured value`() throws {
    let perfkit = try command("quick", "[/bin/true]", more: "budgets: [max(wall) <= 1 ns]")
    let result = perfkit("gate", "quick", "--budgets-only", "--github")
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
    let perfkit = try command("quick", "[/bin/true]")
    let target = words.contains("--against") ? [] : ["--budgets-only"]
    let result = perfkit.run(["gate", "--dry-run"] + words + target)
    #expect(result.status == .failed, "\(result.output)")
    #expect(result.errors.contains(hint), "\(result.errors)")
  }

  @Test func `a gate continues after a scenario that cannot be measured`() throws {
    let perfkit = try command(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 100 s]")
    let result = perfkit("gate", "unheard-of", "quick", "--budgets-only")
    #expect(result.status == .failed)
    #expect(result.output.contains("passed"))
    #expect(result.output.contains("unheard-of"))
  }

  @Test func `an unknown baseline fails the gate`() throws {
    let perfkit = try command("quick", "[/bin/true]")
    let result = perfkit("gate", "quick", "--against", "main")
    #expect(result.status == .failed)
    #expect(result.errors.contains("main"))
  }

  @Test func `a gate against a baseline of one session decides only budgets`() throws {
    let perfkit = try command(
      "quick", "[/bin/true]", iterations: 6, more: "budgets: [max(wall) <= 100 s]")
    #expect(perfkit("run", "quick", "--no-report").status == .done)
    #expect(perfkit("baseline", "save", "main", "latest").status == .done)
    #expect(perfkit("list", "baselines").output.contains("main"))
    let result = perfkit("gate", "quick", "--against", "main")
    #expect(result.status == .inconclusive)
    #expect(perfkit("baseline", "remove", "main").status == .done)
  }

  @Test func `a scenario without budgets or a baseline is inconclusive`() throws {
    let perfkit = try command("quick", "[/bin/true]")
    #expect(perfkit("run", "quick", "--no-report").status == .done)
    #expect(perfkit("baseline", "save", "main", "latest").status == .done)
    try perfkit.scenario(
      "other",
      """
      scenario: other
      summary: A command.
      command: [/bin/true]
      iterations: 1
      warmup: 0
      """)
    let result = perfkit("gate", "other", "--against", "main", "--github")
    #expect(result.status == .inconclusive)
    #expect(
      result.errors.contains(
        "new: baseline 'main' lacks it, so that only its budgets are judged; it has no budgets"),
      "\(result.errors)")
    #expect(!result.errors.contains("and no baseline"))
  }

  @Test func `a stop keeps finished launches and exits with 130`() throws {
    let perfkit = try command("hang", "[/bin/sleep, '1000']")
    let started = perfkit.folder("started")
    try perfkit.scenario(
      "hang",
      """
      scenario: hang
      summary: Its second launch never ends.
      command: [/bin/sh, -c, "if [ -e \(started) ]; then touch \(started).twice; \
      exec sleep 1000; fi; touch \(started)"]
      variants: { plain: {} }
      default_variant: plain
      iterations: 2
      warmup: 0
      """)
    let result = perfkit.run(
      ["run", "hang", "--no-report"],
      cancellation: Cancellation { FileManager.default.fileExists(atPath: started + ".twice") })
    #expect(result.status == .interrupted)
    let runs = perfkit("list", "runs").output
    #expect(runs.contains("interrupted"))
    #expect(perfkit("show", "latest").output.contains("1 of 2 launches did not"))
  }

  @Test func `the end of the terminal stops a run and keeps finished launches`() throws {
    let perfkit = try TestCommand()
    let started = perfkit.folder("started")
    try perfkit.scenario(
      "hang",
      """
      scenario: hang
      summary: Its second launch never ends.
      command: [/bin/sh, -c, "if [ -e \(started) ]; then echo $$ > \(started).twice; \
      exec sleep 1000; fi; touch \(started)"]
      variants: { plain: {} }
      default_variant: plain
      iterations: 2
      warmup: 0
      """)
    let line =
      "cd '\(perfkit.folder.path)' && { '\(TestCommand.programs)/perfkit' run hang --no-report "
      + "--no-profile > /dev/null 2>&1 & command=$!; until [ -s started.twice ] "
      + "|| ! kill -0 $command; do :; done; kill -HUP $command; wait $command; }"
    // Threads of the test run block signals; a child would inherit that and receive neither SIGHUP nor
    // SIGCHLD.
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    let status = system(line)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    #expect(status >> 8 == 130)
    let text = try String(contentsOfFile: started + ".twice", encoding: .utf8)
    let measured = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    defer { kill(measured, SIGKILL) }
    #expect(kill(measured, 0) != 0)
    #expect(perfkit("list", "runs").output.contains("interrupted"))
  }

  @Test func `the error of a folder that cannot be made contains a remedy`() throws {
    let perfkit = try command("quick", "[/bin/true]")
    try FileManager.default.createDirectory(
      atPath: perfkit.folder(".perfkit"), withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: perfkit.folder(".perfkit/scratch")))
    let result = perfkit("run", "quick", "--no-report")
    #expect(result.status == .failed)
    #expect(result.errors.contains("perfkit: cannot write '"), "\(result.errors)")
    #expect(result.errors.contains("/.perfkit/scratch/r"))
    #expect(result.errors.contains("Free some space or fix its permissions"))
  }

  @Test func `an ignored signal is detected`() {
    defer { signal(SIGXFSZ, SIG_DFL) }
    signal(SIGXFSZ, SIG_IGN)
    #expect(Cancellation.isIgnored(SIGXFSZ))
    signal(SIGXFSZ) { _ in }
    #expect(!Cancellation.isIgnored(SIGXFSZ))
    signal(SIGXFSZ, SIG_DFL)
    #expect(!Cancellation.isIgnored(SIGXFSZ))
  }

  @Test func `a stop before the first launch stores no run`() throws {
    let perfkit = try command("hang", "[/bin/sleep, '1000']")
    let result = perfkit.run(
      ["run", "hang", "--no-report"], cancellation: Cancellation { true })
    #expect(result.status == .interrupted)
    #expect(perfkit("list", "runs").output.contains("No runs yet"))
  }

  @Test func `a scenario that cannot be measured does not hide the others`() throws {
    let perfkit = try command("quick", "[/bin/true]", iterations: 1)
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
    let result = perfkit("run", "quick", "missing", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("quick:plain"))
    #expect(result.errors.contains(program))
  }

  @Test func `a full standard output is reported and fails the command`() throws {
    let perfkit = try command("quick", "[/bin/true]", iterations: 1)
    let result = perfkit.run(["list", "scenarios"], writeError: ENOSPC)
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot write to standard output: No space left on device"))
  }

  @Test func `an invalid scenario file fails a comparison that reads its margins`() throws {
    let perfkit = try command("quick", "[/bin/true]", iterations: 6)
    #expect(perfkit("run", "quick", "--no-report").status == .done)
    #expect(perfkit("run", "quick", "--no-report").status == .done)
    try perfkit.scenario("quick", "scenario: [")
    for words in [
      ["compare", "latest~1", "latest"], ["report", "latest~1", "latest"],
      ["chart", "latest", "--against", "latest~1", "--kind", "comparison", "-o", "c.svg"],
    ] {
      let result = perfkit.run(words)
      #expect(result.status == .failed)
      #expect(result.errors.contains("quick.yml"))
    }
  }

  @Test func `a report is written in each format`() throws {
    let perfkit = try command("quick", "[/bin/true]", iterations: 6)
    for _ in 1...2 { #expect(perfkit("run", "quick", "--no-report").status == .done) }
    let markdown = perfkit("report", "latest", "--format", "markdown", "--report", "out")
    #expect(markdown.output == "out/quick-plain.md\n")
    let text = try String(contentsOfFile: perfkit.folder("out/quick-plain.md"), encoding: .utf8)
    #expect(text == perfkit("show", "latest", "--format", "markdown").output)
    let pictures = perfkit("report", "latest~1", "latest", "--format", "png", "--report", "out")
    #expect(pictures.status == .done)
    let paths = pictures.output.split(separator: "\n")
    #expect(paths.first?.hasSuffix("-comparison.png") == true)
    for path in paths {
      let picture = try Data(contentsOf: URL(fileURLWithPath: perfkit.folder(String(path))))
      // The signature of the PNG specification, section 5.2.
      #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    }
    #expect(perfkit("report", "latest", "--format", "pdf").status == .usage)
  }

  @Test func `a ladder needs several runs, and every other chart one`() throws {
    let perfkit = try command("quick", "[/bin/true]", more: "budgets: [wall <= 60 s]")
    for _ in 1...2 { #expect(perfkit("run", "quick", "--no-report").status == .done) }
    let ladder = perfkit("chart", "latest~1", "latest", "--kind", "ladder", "-o", "l.svg")
    #expect(ladder.status == .done)
    let svg = try String(contentsOfFile: perfkit.folder("l.svg"), encoding: .utf8)
    #expect(svg.contains("quick, step by step"))
    for words in [
      ["chart", "latest", "--kind", "ladder", "-o", "l.svg"],
      ["chart", "latest~1", "latest", "--kind", "memory", "-o", "m.svg"],
    ] {
      #expect(perfkit.run(words).status == .usage)
    }
  }

  @Test func `a run can be referred to by its label`() throws {
    let perfkit = try command("quick", "[/bin/true]", iterations: 1)
    #expect(perfkit("run", "quick", "--no-report", "--label", "before").status == .done)
    #expect(perfkit("show", "before").output.contains("before"))
    let wrong = perfkit("run", "quick", "--no-report", "--label", "latest")
    #expect(wrong.status == .usage)
    #expect(wrong.errors.contains("latest"))
  }
}
