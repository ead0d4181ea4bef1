import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import perfkit

/// Scenarios of plain commands, measured by the real harness and the real agent.
struct CommandScenarioTests {
  private func command(
    _ name: String, _ words: String, iterations: Int = 2, timeout: String = "60s",
    more: String = ""
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
      warmup: 0
      timeout: \(timeout)
      \(more)
      """)
    return command
  }

  @Test func `a command that crashes is recorded with its signal, and the run exits with 2`() throws
  {
    let perfkit = try command("crash", #"[/bin/sh, -c, "kill -SEGV $$"]"#)
    let result = perfkit("run", "crash", "--no-report", "--format", "json")
    #expect(result.status == .failed)
    #expect(result.errors.contains("crash:plain: no launch completed"))
    let run = try result.json()
    let iterations = try #require(run["iterations"] as? [[String: Any]])
    #expect(iterations.map { $0["status"] as? String } == ["crashed", "crashed"])
    #expect(iterations.map { $0["signal"] as? String } == ["SIGSEGV", "SIGSEGV"])
    // Nothing is lost: the run is in the store.
    #expect(perfkit("show", "latest").output.contains("crashed (SIGSEGV)"))
  }

  /// The first launch is made whatever the time is.
  @Test func `a time that is over before the first measured launch is told as the reason`() throws {
    let perfkit = try command("quick", "[/bin/true]", more: "budgets: [max(wall) <= 100 s]")
    let words = ["--warmup", "1", "--max-time", "1ns"]
    let reason = "--max-time was over before the first measured launch"
    let result = perfkit.run(["run", "quick", "--no-report"] + words)
    #expect(result.status == .failed)
    #expect(result.errors.contains("quick:plain: \(reason); nothing can be said."))
    #expect(!result.errors.contains("no launch completed"))
    let gate = perfkit.run(["gate", "quick", "--budgets-only", "--junit", "junit.xml"] + words)
    #expect(gate.status == .failed)
    let junit = try String(contentsOfFile: perfkit.folder("junit.xml"), encoding: .utf8)
    #expect(junit.contains("<error message=\"\(reason)\"/>"), "\(junit)")
  }

  @Test func `a command that hangs is killed at its timeout, and the run goes on`() throws {
    let perfkit = try command("hang", "[/bin/sleep, '1000']", timeout: "300ms")
    let result = perfkit("run", "hang", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("2 timed out"))
  }

  @Test func `a command above its memory limit is killed as a device would`() throws {
    // dd holds one block of 300 MB; full blocks, since a signal of the sampler cuts a read short.
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
    // That it was killed is what was asked, so something can be said.
    #expect(result.status == .done)
    #expect(perfkit("gate", "jetsam", "--budgets-only").status == .gateFailed)
  }

  @Test func `an exit code and the last words of a command are in the run`() throws {
    let perfkit = try command("fail", #"[/bin/sh, -c, "echo oh no >&2; exit 3"]"#, iterations: 1)
    let result = perfkit("run", "fail", "--no-report")
    #expect(result.status == .failed)
    #expect(result.output.contains("it exited with 3; its last output: oh no"))
  }

  @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/pressure/cpu")))
  func `stalls of the machine are told of a command's launches`() throws {
    let perfkit = try command("quick", "[/bin/true]")
    let run = try perfkit("run", "quick", "--no-report", "--format", "json").json()
    let iterations = try #require(run["iterations"] as? [[String: Any]])
    let metrics = iterations.compactMap { $0["metrics"] as? [String: Double] }
    #expect(metrics.count == 2)
    #expect(metrics.allSatisfy { $0["psi.cpu"] != nil && $0["psi.memory"] != nil })
    // They are read before the command is launched and after it has ended.
    #expect(metrics.allSatisfy { ($0["psi.window"] ?? 0) >= ($0["wall"] ?? .infinity) })
  }

  @Test func `a program that is not there is an error before anything is measured`() throws {
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
  func `a command that the agent cannot be put into is an error that says why`(
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
    // Lines break anywhere in a table.
    let said = (result.errors + result.output).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(said.contains("it is statically linked, so the agent cannot be preloaded"))
    #expect(said.contains("--no-profile"))
  }

  @Test func `without a profile it is measured all the same`() throws {
    let perfkit = try command("static", "[\(Self.statically)]", iterations: 1)
    #expect(perfkit("run", "static", "--no-profile", "--no-report").status == .done)
  }

  @Test(.enabled(if: getuid() == 0, "only root can give a file to somebody else"))
  func `a setuid program is neither run with a profile nor recorded`() throws {
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

  /// A program without a dynamic loader, compiled once.
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

  @Test func `budgets decide the exit status only when that is asked for`() throws {
    let perfkit = try command(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 1 ns, max(rss.peak) <= 100 GB]")
    #expect(perfkit("run", "quick", "--no-report").status == .done)
    #expect(perfkit("run", "quick", "--no-report", "--exit-code").status == .gateFailed)
  }

  @Test func `a gate fails on a broken budget and writes its verdict`() throws {
    let perfkit = try command(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 1 ns]")
    let result = perfkit("gate", "quick", "--budgets-only")
    #expect(result.status == .gateFailed)
    #expect(result.output.contains("The gate is red: quick:plain (failed)."))
    let text = try String(
      contentsOfFile: perfkit.folder(".perfkit/verdict.json"), encoding: .utf8)
    let verdict = try jsonObject(text)
    #expect(verdict["status"] as? Int == 1)
    #expect(verdict["schema"] as? String == "perfkit.verdict/1")
  }

  @Test func `a gate without budgets and baseline is inconclusive, never green`() throws {
    let perfkit = try command("quick", "[/bin/true]")
    let result = perfkit("gate", "quick", "--budgets-only", "--junit", "junit.xml")
    #expect(result.status == .inconclusive)
    let junit = try String(contentsOfFile: perfkit.folder("junit.xml"), encoding: .utf8)
    #expect(junit.contains(#"tests="1" failures="0" errors="0" skipped="1""#))
    #expect(perfkit("gate", "quick", "--budgets-only", "--inconclusive", "pass").status == .done)
  }

  @Test func `a gate whose launches all fail says so wherever it writes`() throws {
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

  @Test func `a broken budget is shown with what was measured`() throws {
    let perfkit = try command("quick", "[/bin/true]", more: "budgets: [max(wall) <= 1 ns]")
    let result = perfkit("gate", "quick", "--budgets-only", "--github")
    #expect(
      result.errors.contains(#/::max\(wall\) <= 1 ns is broken: [0-9.]+ [mµu]?s was measured/#),
      "\(result.errors)")
  }

  @Test(arguments: [
    (["qiuck"], "did you mean 'quick'?"),
    (["quick", "--variant", "plian"], "did you mean 'plain'?"),
    (["quick", "--against", "baseline:main"], "there are no runs yet"),
  ])
  func `a plan of what does not exist is an error`(words: [String], hint: String) throws {
    let perfkit = try command("quick", "[/bin/true]")
    let target = words.contains("--against") ? [] : ["--budgets-only"]
    let result = perfkit.run(["gate", "--dry-run"] + words + target)
    #expect(result.status == .failed, "\(result.output)")
    #expect(result.errors.contains(hint), "\(result.errors)")
  }

  @Test func `a gate goes on after a scenario that cannot be measured`() throws {
    let perfkit = try command(
      "quick", "[/bin/true]", more: "budgets: [max(wall) <= 100 s]")
    let result = perfkit("gate", "unheard-of", "quick", "--budgets-only")
    #expect(result.status == .failed)
    #expect(result.output.contains("passed"))
    #expect(result.output.contains("unheard-of"))
  }

  @Test func `a baseline that does not exist is an error`() throws {
    let perfkit = try command("quick", "[/bin/true]")
    let result = perfkit("gate", "quick", "--against", "main")
    #expect(result.status == .failed)
    #expect(result.errors.contains("main"))
  }

  @Test func `against a baseline of one session nothing but budgets can be told`() throws {
    let perfkit = try command(
      "quick", "[/bin/true]", iterations: 6, more: "budgets: [max(wall) <= 100 s]")
    #expect(perfkit("run", "quick", "--no-report").status == .done)
    #expect(perfkit("baseline", "save", "main", "latest").status == .done)
    #expect(perfkit("list", "baselines").output.contains("main"))
    let result = perfkit("gate", "quick", "--against", "main")
    #expect(result.status == .inconclusive)
    #expect(perfkit("baseline", "remove", "main").status == .done)
  }

  @Test func `a scenario without budgets that the baseline lacks is told so`() throws {
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
        "new: baseline 'main' has no run of it, so only its budgets are judged; it has no budgets"),
      "\(result.errors)")
    #expect(!result.errors.contains("there is no baseline"))
  }

  @Test func `a user's stop keeps what is finished and exits with 130`() throws {
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

  @Test func `the end of the terminal ends what is measured, and keeps what is finished`() throws {
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
    // Threads of the test run block signals; what they start would neither hear of the end of the terminal
    // nor of that of a child.
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

  @Test func `a folder that cannot be made is told with what to do`() throws {
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

  @Test func `a signal that is ignored is told from others`() {
    defer { signal(SIGXFSZ, SIG_DFL) }
    signal(SIGXFSZ, SIG_IGN)
    #expect(Cancellation.isIgnored(SIGXFSZ))
    signal(SIGXFSZ) { _ in }
    #expect(!Cancellation.isIgnored(SIGXFSZ))
    signal(SIGXFSZ, SIG_DFL)
    #expect(!Cancellation.isIgnored(SIGXFSZ))
  }

  @Test func `a stop before the first launch keeps no run`() throws {
    let perfkit = try command("hang", "[/bin/sleep, '1000']")
    let result = perfkit.run(
      ["run", "hang", "--no-report"], cancellation: Cancellation { true })
    #expect(result.status == .interrupted)
    #expect(perfkit("list", "runs").output.contains("No runs yet"))
  }

  @Test func `one scenario that cannot be measured does not hide the others`() throws {
    let perfkit = try command("quick", "[/bin/true]", iterations: 1)
    try perfkit.scenario(
      "missing",
      """
      scenario: missing
      summary: It goes away between check and launch.
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

  @Test func `a full standard output is told, and the status is not success`() throws {
    let perfkit = try command("quick", "[/bin/true]", iterations: 1)
    let result = perfkit.run(["list", "scenarios"], writeError: ENOSPC)
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot write to standard output: No space left on device"))
  }

  @Test func `margins come from the scenario file, and a broken one is no silent default`() throws {
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

  @Test func `a report is written in the format that is asked for`() throws {
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

  @Test func `a ladder is of several runs, every other chart of one`() throws {
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

  @Test func `a label names a run`() throws {
    let perfkit = try command("quick", "[/bin/true]", iterations: 1)
    #expect(perfkit("run", "quick", "--no-report", "--label", "before").status == .done)
    #expect(perfkit("show", "before").output.contains("before"))
    let wrong = perfkit("run", "quick", "--no-report", "--label", "latest")
    #expect(wrong.status == .usage)
    #expect(wrong.errors.contains("latest"))
  }
}
