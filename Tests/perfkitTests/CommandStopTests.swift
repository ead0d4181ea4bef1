import Foundation
import Glibc
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Runs that the user or the end of the terminal stops.
struct CommandStopTests {
  @Test func `a stop keeps finished launches and exits with 130`() throws {
    let perfkit = try TestCommand.measuring("hang", "[/bin/sleep, '1000']")
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
      ["run", "--all", "hang", "--no-report"],
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

  @Test func `a stop before the first launch stores no run`() throws {
    let perfkit = try TestCommand.measuring("hang", "[/bin/sleep, '1000']")
    let result = perfkit.run(
      ["run", "--all", "hang", "--no-report"], cancellation: Cancellation { true })
    #expect(result.status == .interrupted)
    #expect(perfkit("list", "runs").output.contains("No runs yet"))
  }

  /// The command tries this call at its start, before it reads its command line.
  @Test(
    .enabled(if: TestCommand.hasTool("strace"), "strace is not installed"),
    arguments: ["INT", "TERM"])
  func `a signal in the first milliseconds is a stop`(signal: String) throws {
    let folder = try TemporaryFolder()
    let (status, output) = try DocumentTests.run([
      "-C", folder.path, "strace", "-qq", "-o", "/dev/null",
      "-e", "inject=eventfd2:signal=\(signal):when=1",
      "\(TestPrograms.folder)/perfkit", "run", "--iterations", "1", "--no-report", "--no-profile",
      "--", "true",
    ])
    #expect(status == 130, "\(output)")
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
}
