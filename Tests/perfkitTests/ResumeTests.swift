import Foundation
import Glibc
import PerfGate
import PerfModel
import PerfRunner
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// Runs that were cut off, and are completed by `perfkit run --resume`.
struct ResumeTests {
  private static let quick = ["--no-profile", "--no-report", "--all"]

  /// Returns a command with the scenario `steps` of a script that adds a line to `log` in each launch.
  private func command(iterations: Int = 4, warmup: Int = 1, script: String = "") throws
    -> TestCommand
  {
    let command = try TestCommand()
    try Executable.write(
      "#!/bin/sh\necho x >> '\(command.folder("log"))'\n\(script)\n", to: command.folder("program"))
    try command.scenario("steps", Self.scenario(iterations: iterations, warmup: warmup))
    return command
  }

  private static func scenario(iterations: Int = 4, warmup: Int = 1, more: String = "") -> String {
    """
    scenario: steps
    summary: A script.
    command: [../program]
    variants: { a: {}, b: {} }
    default_variant: a
    iterations: \(iterations)
    warmup: \(warmup)
    \(more)
    """
  }

  private static func lines(of command: TestCommand) -> Int {
    (try? String(contentsOfFile: command.folder("log"), encoding: .utf8))?.count { $0 == "\n" } ?? 0
  }

  /// Measures variant b, and stops as soon as some launches have begun.
  private func cutOff(_ command: TestCommand, after launches: Int) {
    let stopped = command.run(
      ["run", "steps", "--variant", "b", "--seed", "7", "--label", "mine"] + Self.quick,
      cancellation: Cancellation { Self.lines(of: command) >= launches })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
  }

  private func store(of command: TestCommand) throws -> RunStore {
    try RunStore(path: command.folder(".perfkit/perfkit.sqlite"), access: .reading)
  }

  @Test(arguments: [["steps"], [], ["latest"], ["steps:b"], ["mine"]])
  func `a stopped run gets the launches that it lacks`(reference: [String]) throws {
    let command = try command()
    cutOff(command, after: 3)
    let before = try store(of: command).run(id: store(of: command).headers()[0].id)
    let kept = before.launches.filter { $0.status != .interrupted }
    #expect(kept.count < 5)
    let made = Self.lines(of: command)
    let result = command.run(["run", "--resume"] + reference + ["--no-report", "--all"])
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.says("resuming run \(before.id) after"))
    // The session makes the warm-up again, unless the first session lacks it.
    #expect(Self.lines(of: command) - made == 5 - kept.count + (kept.isEmpty ? 0 : 1))
    let headers = try store(of: command).headers()
    #expect(headers.map(\.id) == [before.id])
    #expect(headers.map(\.state) == [.finished])
    let run = try store(of: command).run(id: before.id)
    #expect(run.launches.map(\.index) == [0, 1, 2, 3, 4])
    #expect(run.launches.allSatisfy { $0.status == .completed })
    #expect(run.launches.map(\.isWarmup) == [true, false, false, false, false])
    for launch in kept {
      #expect(run.launches[launch.index].metrics == launch.metrics)
      #expect(run.launches[launch.index].offset == launch.offset)
    }
    #expect(zip(run.launches, run.launches.dropFirst()).allSatisfy { $0.offset < $1.offset })
    #expect((run.seed, run.label, run.variant) == (7, "mine", "b"))
    #expect(run.command == before.command)
    #expect(run.warnings.map(\.code).contains("run.resumed"))
  }

  @Test func `a run whose harness was killed gets the launches that it lacks`() throws {
    let command = try command(
      script: """
        if [ -p witness ] && [ "$(wc -l < log)" -ge 3 ]; then printf x > witness; exec sleep 1000; fi
        """)
    let witness = command.folder("witness")
    try #require(mkfifo(witness, 0o600) == 0)
    // The session that resumes the run is killed as well.
    for words in [["run", "steps"] + Self.quick, ["run", "--resume", "--no-report"]] {
      // A new reader has no hang-up of an earlier writer.
      let end = open(witness, O_RDONLY | O_NONBLOCK)
      defer { close(end) }
      let harness = Process()
      harness.executableURL = URL(fileURLWithPath: TestCommand.programs + "/perfkit")
      harness.currentDirectoryURL = URL(fileURLWithPath: command.folder.path)
      harness.arguments = words
      harness.standardOutput = FileHandle.nullDevice
      harness.standardError = FileHandle.nullDevice
      try harness.run()
      // The third launch, and the first one of the second session, wait for the end of the harness.
      var request = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
      #expect(poll(&request, 1, 30_000) == 1)
      var byte: UInt8 = 0
      #expect(read(end, &byte, 1) == 1)
      kill(harness.processIdentifier, SIGKILL)
      harness.waitUntilExit()
    }
    unlink(witness)
    #expect(try store(of: command).headers().map(\.state) == [.running])
    let result = command.run(["run", "--resume", "--no-report", "--all"])
    #expect(result.status == .done, "\(result.errors)")
    let run = try store(of: command).run(id: store(of: command).headers()[0].id)
    #expect(run.launches.map(\.index) == [0, 1, 2, 3, 4])
    #expect(run.measured.count == 4)
    #expect(!run.wasInterrupted)
    let sessions = run.warnings.filter { $0.code == RunWarning.resumedCode }.map(\.message)
    #expect(sessions.count == 2, "\(sessions)")
    #expect(sessions.first?.contains("a later session began at") == true)
    #expect(sessions.last?.contains("made the launches from") == true)
    let scratch = command.folder(".perfkit/scratch")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == [])
  }

  @Test func `a resumed run can be stopped and resumed again`() throws {
    let command = try command(iterations: 6, warmup: 0)
    cutOff(command, after: 2)
    let more = Self.lines(of: command) + 2
    let again = command.run(
      ["run", "--resume", "--no-report"],
      cancellation: Cancellation { Self.lines(of: command) >= more })
    #expect(again.status == .interrupted, "\(again.errors)")
    let result = command.run(["run", "--resume", "--no-report"])
    #expect(result.status == .done, "\(result.errors)")
    let runs = try store(of: command).headers()
    #expect(runs.map(\.completed) == [6])
    #expect(runs.map(\.state) == [.finished])
  }

  @Test func `variants that took turns are completed one after the other`() throws {
    let command = try command(warmup: 0)
    let stopped = command.run(
      ["run", "steps", "--variant", "a", "--variant", "b"] + Self.quick,
      cancellation: Cancellation { Self.lines(of: command) >= 3 })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
    let runs = try store(of: command).headers()
    #expect(Set(runs.map(\.variant)) == ["a", "b"])
    let first = command.run(["run", "--resume", "--no-report"])
    #expect(first.status == .done, "\(first.errors)")
    #expect(first.says("run \(runs[1].id) of the same command was cut off too"))
    let second = command.run(["run", "--resume", runs[1].id, "--no-report"])
    #expect(second.status == .done, "\(second.errors)")
    #expect(!second.says("was cut off too"))
    #expect(try store(of: command).headers().map(\.completed) == [4, 4])
  }

  /// Changes of what is measured between two sessions.
  private static let changes: [(@Sendable (TestCommand) throws -> Void, String)] = [
    (
      { try Executable.write("#!/bin/sh\necho y >> log\n", to: $0.folder("program")) },
      "the program has changed"
    ),
    (
      { try $0.scenario("steps", Self.scenario(iterations: 9)) },
      "the way of launching was 1 + 4 launches"
    ),
    (
      { try $0.scenario("steps", Self.scenario(warmup: 2)) },
      "the way of launching was 1 + 4 launches"
    ),
    (
      { try $0.scenario("steps", Self.scenario(more: "environment: { LEVEL: '3' }")) },
      "and is 1 + 4 launches"
    ),
    (
      { try $0.scenario("steps", Self.scenario(more: "budgets: [wall <= 5 s]")) },
      "the budgets have changed"
    ),
  ]

  @Test(arguments: 0..<5)
  func `a run is not resumed after a change, and the message names the change`(index: Int) throws {
    let command = try command()
    cutOff(command, after: 2)
    let before = try store(of: command).headers()
    let (change, message) = Self.changes[index]
    try change(command)
    let made = Self.lines(of: command)
    let result = command.run(["run", "--resume", "--no-report"])
    #expect(result.status == .failed)
    #expect(result.says("cannot be resumed: "), "\(result.errors)")
    #expect(result.says(message), "\(result.errors)")
    #expect(try store(of: command).headers() == before)
    #expect(Self.lines(of: command) == made)
  }

  @Test func `a run of another machine or agent is not resumed`() throws {
    let command = try command()
    cutOff(command, after: 2)
    let path = command.folder(".perfkit/perfkit.sqlite")
    for (fact, message) in [
      (Environment.Key.cpuModel, "'cpu.model' was other and is"), (.host, "the machine was other"),
      (.agentIdentity, "the agent has changed"), (.perfkitVersion, "PerfKit's version was other"),
    ] {
      let store = try RunStore(path: path)
      let run = try store.run(id: store.headers()[0].id)
      var changed = run.environment
      changed[fact] = "other"
      try store.finish(Self.run(run, in: changed))
      let result = command.run(["run", "--resume", "--no-report"])
      #expect(result.status == .failed)
      #expect(result.says(message), "\(result.errors)")
      try store.finish(run)
    }
    #expect(command.run(["run", "--resume", "--no-report"]).status == .done)
  }

  private static func run(_ run: Run, in environment: Environment) -> Run {
    Run(
      id: run.id, scenario: run.scenario, variant: run.variant, label: run.label,
      started: run.started, seed: run.seed, parameters: run.parameters, command: run.command,
      environment: environment, definitions: run.definitions, launches: run.launches,
      budgets: run.budgets, profile: run.profile, warnings: run.warnings,
      wasInterrupted: run.wasInterrupted)
  }

  @Test func `a complete run is printed, and nothing is measured`() throws {
    let command = try command(iterations: 2)
    #expect(command.run(["run", "steps"] + Self.quick).status == .done)
    let made = Self.lines(of: command)
    let result = command.run(["run", "steps", "--resume", "--no-report"])
    #expect(result.status == .done)
    #expect(result.says("already has all its 3 launches"), "\(result.errors)")
    #expect(result.output.contains("steps"))
    #expect(Self.lines(of: command) == made)
  }

  @Test func `a store without runs, an unknown run and options of the run are refused`() throws {
    let command = try command()
    #expect(command.run(["run", "--resume"]).status == .failed)
    cutOff(command, after: 2)
    let unknown = command.run(["run", "--resume", "no-such-run"])
    #expect(unknown.status == .failed)
    #expect(unknown.says("no-such-run"))
    let option = command.run(["run", "--resume", "--iterations", "9"])
    #expect(option.status == .usage)
    #expect(option.says("leave out --iterations"))
    let two = command.run(["run", "--resume", "steps", "latest"])
    #expect(two.status == .usage)
  }

  @Test func `a run of another verb is not resumed`() throws {
    let command = try command()
    let store = try RunStore(path: command.folder(".perfkit/perfkit.sqlite"))
    let sample = SampleRuns.run(launches: 1, samples: 0, fling: 0, wasInterrupted: true)
    try store.save(
      Run(
        id: sample.id, scenario: "steps", variant: "a", label: nil, started: sample.started,
        seed: 1,
        parameters: [:], command: ["diff", "HEAD"], environment: sample.environment,
        definitions: [], launches: [], budgets: [], profile: nil, warnings: [],
        wasInterrupted: true))
    let result = command.run(["run", "--resume"])
    #expect(result.status == .failed)
    #expect(result.says("`perfkit diff` made it. Repeat that command."), "\(result.errors)")
  }

  @Test func `a run that another process measures is not resumed`() throws {
    let command = try command()
    cutOff(command, after: 2)
    let id = try store(of: command).headers()[0].id
    let taken = try ScratchFolder(command.folder(".perfkit/scratch/\(id)"))
    let result = command.run(["run", "--resume", "--no-report"])
    #expect(result.status == .failed)
    #expect(result.says("another process measures it"), "\(result.errors)")
    taken.remove()
  }

  @Test func `a command of the command line is resumed with its words`() throws {
    let command = try command()
    let words = ["--", "sh", "-c", "echo x >> log"]
    let stopped = command.run(
      ["run", "--iterations", "5", "--warmup", "0"] + Self.quick + words,
      cancellation: Cancellation { Self.lines(of: command) >= 2 })
    #expect(stopped.status == .interrupted)
    let result = command.run(["run", "--resume", "--no-report"] + words)
    #expect(result.status == .done, "\(result.errors)")
    #expect(try store(of: command).headers().map(\.completed) == [5])
  }
}
