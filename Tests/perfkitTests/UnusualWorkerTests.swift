import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Workers that speak the protocol and do something that no worker of the library does.
struct UnusualWorkerTests {
  /// Readings of clocks in a message.
  private static func usage(wall: String, cpu: String = "0") -> String {
    #"{"wall":\#(wall),"cpu":\#(cpu),"user":0,"system":0}"#
  }

  private static func done(from began: String, to ended: String) -> String {
    #"say '{"type":"done","counters":{},"began":"# + usage(wall: began) + #","ended":"#
      + usage(wall: ended) + "}'"
  }

  /// Runs a scenario whose worker is a shell script.
  ///
  /// - Parameters:
  ///   - measure: The shell commands of the measured phase.
  ///   - words: Further words of the command line.
  /// - Returns: The result of the command.
  /// - Throws: A file error when the scenario cannot be written.
  private func run(_ measure: String, _ words: String...) throws -> TestCommand.Result {
    let command = try TestCommand()
    try Executable.write(
      ScriptedWorker.text(["w": measure]), to: command.folder("worker.sh"))
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

  @Test func `a worker that does not end after the measured phase is killed and reported`() throws {
    let result = try run(ScriptedWorker.done + "; exec sleep 1000")
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("the worker did not end within 2 s and was killed"))
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
    let result = try run(
      "now=$(python3 -c 'import time; print(time.monotonic_ns())'); "
        + Self.done(from: "'$now'", to: "'$((now + 1))'"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("the measured phase took 1 ns"), "\(result.output)")
  }

  @Test(arguments: [
    // 570 years; and a clock that goes back.
    ("0", "18000000000000000000"), ("2000", "1000"),
  ])
  func `CPU time that the machine does not have fails the launch`(
    began: String, ended: String
  ) throws {
    let result = try run(
      #"say '{"type":"done","counters":{},"began":"# + Self.usage(wall: "1000", cpu: began)
        + #","ended":"# + Self.usage(wall: "2000", cpu: ended) + "}'")
    #expect(result.status == .failed)
    #expect(result.says("of CPU time within") || result.prints("of CPU time within"))
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
      #"printf '\033[31mred\007' >&2; exit 3"#)
    #expect(result.status == .failed)
    #expect(result.prints("its last errors: [31mred"), "\(result.output)")
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
