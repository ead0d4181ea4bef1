import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Workers that speak the protocol and do something that no worker of the library does.
struct UnusualWorkerTests {
  /// Readings of clocks in a message.
  private static func usage(wall: String, _ others: [String: String] = [:]) -> String {
    let readings = ["wall": wall, "cpu": "0", "user": "0", "system": "0"]
      .merging(others) { $1 }
    return "{" + readings.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
  }

  private static func done(from began: String, to ended: String) -> String {
    done(usage(wall: began), usage(wall: ended))
  }

  private static func done(_ began: String, _ ended: String) -> String {
    #"say '{"type":"done","counters":{},"began":\#(began),"ended":\#(ended)}'"#
  }

  /// Sets `now` to the time of CLOCK_MONOTONIC.
  private static let now = "now=$(python3 -c 'import time; print(time.monotonic_ns())')"

  /// Runs a scenario whose worker is a shell script.
  ///
  /// - Parameters:
  ///   - measure: The shell commands of the measured phase.
  ///   - afterSetup: The shell commands after the setup.
  ///   - words: Further words of the command line.
  /// - Returns: The result of the command.
  /// - Throws: A file error when the scenario cannot be written.
  private func run(
    _ measure: String, afterSetup: String = "exit 0", _ words: String...
  ) throws -> TestCommand.Result {
    let command = try TestCommand()
    try Executable.write(
      ScriptedWorker.text(["w": measure], afterSetup: afterSetup), to: command.folder("worker.sh"))
    try command.scenario(
      "script",
      """
      scenario: script
      summary: Runs a script.
      workload: w
      worker: ../worker.sh
      """)
    return command.run(
      [
        "run", "--all", "script", "--iterations", "1", "--warmup", "0", "--no-report",
        "--no-profile",
      ]
        + words)
  }

  @Test func `a worker that ends regularly has no warning about its end`() throws {
    let result = try run(ScriptedWorker.done)
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.prints("after its measured phase"))
  }

  @Test func `a crash after the measured phase is reported, and the launch is kept`() throws {
    let result = try run(ScriptedWorker.done + "; kill -SEGV $$")
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("after its measured phase, the worker crashed (SIGSEGV)"))
  }

  @Test(arguments: ["boom\\n", "boom\\nCurrent stack trace:\\n0 app 0x1\\n"])
  func `the message of a crash in the measured phase is a warning`(output: String) throws {
    let result = try run(
      "printf 'starting\\nApp/main.swift:3: Fatal error: \(output)' >&2; kill -ILL $$")
    #expect(result.status == .failed)
    #expect(result.prints("crashed (SIGILL)"), "\(result.output)")
    #expect(
      result.prints(
        "the worker crashed (SIGILL); its last output: App/main.swift:3: Fatal error: boom"),
      "\(result.output)")
    #expect(!result.prints("Current stack trace"), "\(result.output)")
  }

  @Test func `a worker that does not end after the measured phase is killed and reported`() throws {
    let result = try run(ScriptedWorker.done + "; exec sleep 1000")
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("the worker did not end within 2 s and was killed"))
  }

  @Test func `warnings and a failure after the measured phase are reported`() throws {
    let result = try run(
      ScriptedWorker.done
        + #"; say '{"type":"warning","code":"w.late","message":"A late warning."}'"#
        + #"; say '{"type":"failed","stage":"measure","message":"no room"}'; exit 1"#)
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("A late warning."))
    #expect(result.prints("after its measured phase, the worker reported a failure: no room"))
  }

  @Test(arguments: [
    ("kill -SEGV $$", "the worker crashed (SIGSEGV)"), ("exit 3", "the worker exited with 3"),
    ("exec sleep 1000", "the worker did not end within 2 s and was killed"),
  ])
  func `an irregular end after the setup is reported`(end: String, message: String) throws {
    let result = try run(ScriptedWorker.done, afterSetup: end)
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("after its setup, \(message)"), "\(result.output)")
  }

  @Test(arguments: [
    // It ends before it begins; it lasts 570 years; and 1 ns, long before the harness asked for it.
    ("2000", "1000"), ("1", "18000000000000000000"), ("1000", "1001"),
  ])
  func `a phase that is impossible by the harness's clock fails the launch`(
    began: String, ended: String
  ) throws {
    let result = try run(Self.done(from: began, to: ended))
    #expect(result.status == .failed)
    #expect(result.says("it reported a phase of") || result.prints("it reported a phase of"))
  }

  @Test func `a phase that is too short for its clocks has a warning`() throws {
    let result = try run("\(Self.now); " + Self.done(from: "'$now'", to: "'$((now + 1))'"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("the measured phase took 1 ns"), "\(result.output)")
  }

  @Test(arguments: [
    // 570 years; a clock that goes back; and a second within a nanosecond.
    ([:], ["cpu": "18000000000000000000"], "of CPU time within"),
    (["cpu": "2000"], ["cpu": "1000"], "of CPU time within"),
    ([:], ["cpu": "1000000000"], "of CPU time within 1 ns"),
    (["user": "2000"], ["user": "1000"], "of user time in the"),
    ([:], ["system": "18000000000000000000"], "of system time in the"),
    (["allocations": "2"], ["allocations": "1"], "counts of allocations"),
    ([:], ["allocations": "18000000000000000000"], "counts of allocations"),
    ([:], ["allocations": "1", "allocated": "18000000000000000000"], "counts of allocations"),
  ])
  func `readings that are not possible fail the launch`(
    began: [String: String], ended: [String: String], message: String
  ) throws {
    let result = try run(
      "\(Self.now); "
        + Self.done(
          Self.usage(wall: "'$now'", began), Self.usage(wall: "'$((now + 1))'", ended)))
    #expect(result.status == .failed)
    #expect(result.says(message) || result.prints(message), "\(result.output)")
  }

  @Test func `at most a hundred warnings of a launch are kept`() throws {
    let result = try run(
      #"""
      number=0
        while [ $number -lt 3000 ]; do
          say "{\"type\":\"warning\",\"code\":\"w.$number\",\"message\":\"Warning $number.\"}"
          number=$((number + 1))
        done
      """# + "\n" + ScriptedWorker.done)
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("Warning 99."))
    #expect(!result.prints("Warning 100."))
    #expect(result.prints("the worker sent more than 100 warnings; the others were dropped"))
  }

  @Test func `the message of a failed launch is cut`() throws {
    let result = try run(
      "long=$(printf '%100000s' '' | tr ' ' a); "
        + #"say "{\"type\":\"failed\",\"stage\":\"measure\",\"message\":\"$long\"}""#)
    #expect(result.status == .failed)
    #expect((result.output + result.errors).utf8.count < 20_000)
    #expect(result.prints("... (100,000 bytes)") || result.says("... (100,000 bytes)"))
  }

  @Test func `control characters of a worker's message do not reach the terminal`() throws {
    let result = try run(
      #"say '{"type":"failed","stage":"measure","message":"\u001b[31mred\u0007"}'"#)
    #expect(result.status == .failed)
    #expect(!(result.output + result.errors).contains("\u{1B}"))
    #expect(!(result.output + result.errors).contains("\u{7}"))
  }

  @Test func `control characters of a command's last output do not reach the terminal`() throws {
    let command = try TestCommand()
    let result = command(
      "run", "--iterations", "1", "--warmup", "0", "--no-report", "--no-profile", "--", "sh", "-c",
      #"printf '\033[31mred\342\200\256\007' >&2; exit 3"#)
    #expect(result.status == .failed)
    #expect(result.prints("its last errors: [31mred"), "\(result.output)")
    // U+202E turns the order of the characters after it.
    #expect(!(result.output + result.errors).contains("\u{202E}"))
    #expect(!(result.output + result.errors).contains("\u{1B}"))
    #expect(!(result.output + result.errors).contains("\u{7}"))
  }

  @Test func `parameters that do not fit into the channel are refused with their size`() throws {
    let result = try run(
      ScriptedWorker.done, "--set", "text=" + String(repeating: "a", count: 400_000))
    #expect(result.status == .failed)
    #expect(result.says("at most 65,536 bytes are allowed"))
  }
}
