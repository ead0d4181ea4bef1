import Foundation
import PerfModel
import PerfProfile
import PerfTestSupport
import Testing

@testable import PerfRunner

/// The program of the tests, and the abilities of the machine that they need.
private enum CountedProgram {
  static let variables = ProcessInfo.processInfo.environment
  static let hasValgrind = ProgramFinder.path(of: "valgrind", variables) != nil
  static let hasAVX512 =
    SystemCalls.read("/proc/cpuinfo", limit: 4096)?.contains("avx512f") == true

  /// The compiled program, in a folder that lasts for all tests.
  private static let built = Result<TemporaryFolder, any Error> {
    let folder = try TemporaryFolder.forAllTests()
    let source = #filePath.replacing("CountingTests.swift", with: "Programs/counted.c")
    let compiler = try CommandRun(
      "/usr/bin/env",
      ["clang", "-O1", "-g", "-gdwarf-5", "-pthread", source, "-o", folder("counted")],
      in: folder.path, environment: variables, seconds: 60)
    guard compiler.status == 0 else { throw CocoaError(.executableLoad) }
    return folder
  }

  static func path() throws -> String { try built.get()("counted") }
}

/// Counted launches of programs that execute known numbers of instructions.
@Suite(.enabled(if: CountedProgram.hasValgrind, "valgrind is not installed"))
struct CountingTests {
  /// Counts launches of the program with arguments.
  private func count(
    _ words: String..., launches: Int = 1, events: CountedEvents = [],
    timeout: UInt64 = 60_000_000_000
  ) throws -> RunOutcome {
    let program = [try CountedProgram.path()] + words
    let scenario = Scenario(
      name: "counted", summary: "", workload: "", worker: .command(program),
      variants: [Scenario.Variant(name: "plain", parameters: [:])], defaultVariant: "plain",
      timeout: timeout)
    let folder = try TemporaryFolder()
    var plan = MeasurementPlan(
      scenario: scenario, variant: "plain", parameters: [:], iterations: launches, warmup: 0,
      rate: 0, seed: 1, program: program, agent: nil, cacheDirectory: folder("data"),
      scratchDirectory: folder("100 %p"))
    let finder = ProgramFinder(programDirectory: "/", environment: CountedProgram.variables)
    plan.count(by: try finder.callgrind(events))
    return try ScenarioRunner(plan: plan, workload: nil, isCancelled: { false })
      .run(symbols: nil) { _ in }
  }

  private func function(_ name: String, of outcome: RunOutcome) throws -> WorkProfile.Function {
    let functions = try #require(outcome.work?.functions)
    return try #require(functions.first { $0.name == name && $0.module == "counted" })
  }

  private func total(_ outcome: RunOutcome) throws -> Double {
    try #require(outcome.launches.first?.metrics[MetricName.workInstructions])
  }

  /// A turn has two instructions, which belong to the inlined function; `spin` itself returns.
  @Test func `each instruction of a loop is counted for the inlined function`() throws {
    let (few, many) = (try count("turns", "1000"), try count("turns", "3000"))
    #expect(try function("turn", of: few).instructions == [2000])
    #expect(try function("turn", of: many).instructions == [6000])
    let spin = try function("spin", of: few)
    #expect(spin.calls == [1], "\(few.work?.functions.prefix(5) ?? [])")
    #expect(try total(many) - total(few) == 4000)
  }

  @Test func `each call is counted for the called function`() throws {
    let outcome = try count("calls", "100")
    #expect(try function("leaf", of: outcome).calls == [100])
    #expect(try #require(outcome.launches[0].metrics[MetricName.workCalls]) > 100)
  }

  @Test func `two launches of a program have equal counts and no other metrics`() throws {
    let outcome = try count("turns", "1000", launches: 2)
    #expect(outcome.launches.map(\.status) == [.completed, .completed])
    #expect(outcome.launches[0].metrics == outcome.launches[1].metrics)
    #expect(outcome.launches[0].metrics.keys.sorted() == ["work.calls", "work.instructions"])
    let work = try #require(outcome.work)
    #expect(work.launches == [0, 1])
    #expect(work.functions.allSatisfy { Set($0.instructions).count == 1 })
    #expect(outcome.warnings.isEmpty, "\(outcome.warnings)")
    // All instructions belong to a function.
    let sum = work.functions.reduce(0) { $0 + Double($1.instructions[0]) }
    #expect(try sum == total(outcome))
  }

  @Test func `simulated caches and branches add misses and estimated cycles`() throws {
    let outcome = try count("turns", "10", events: [.cacheMisses, .branchMisses])
    let metrics = outcome.launches[0].metrics
    let cycles = try #require(metrics[MetricName.workEstimatedCycles])
    let misses = try #require(metrics[MetricName.workDataMisses])
    let instructions = try #require(metrics[MetricName.workInstructions])
    #expect(misses > 0 && cycles >= instructions + 10 * misses)
    // All misses belong to a function.
    let functions = try #require(outcome.work?.functions)
    #expect(functions.reduce(0) { $0 + Double($1.dataMisses?[0] ?? 0) } == misses)
    #expect(functions.allSatisfy { $0.branchMisses?.count == 1 })
  }

  @Test func `the instructions of other threads are counted`() throws {
    #expect(try function("turn", of: count("thread", "1000")).instructions == [2000])
  }

  @Test func `a child process is not counted, and a warning says so`() throws {
    let outcome = try count("child", "20000000")
    #expect(outcome.warnings.map(\.code) == [WorkProfile.childrenUncounted])
    #expect(outcome.work?.functions.contains { $0.name == "turn" } == false)
  }

  /// The loop of 500,000 turns is most of the about 1.1 million instructions.
  @Test func `instructions of generated code are counted and reported`() throws {
    let outcome = try count("generated", "500000")
    let generated = outcome.work?.functions.first
    #expect(generated?.name == "[code without a file]" && generated?.module == nil)
    #expect(try #require(generated?.instructions[0]) >= 1_000_000)
    #expect(outcome.warnings.map(\.code) == ["work.generated"])
  }

  @Test(.enabled(if: CountedProgram.hasAVX512, "this CPU has no AVX-512"))
  func `an instruction that valgrind does not know is named as the reason`() throws {
    let outcome = try count("unknown", "0")
    guard case .failed(let reason) = outcome.launches[0].status else {
      Issue.record("\(outcome.launches[0].status)")
      return
    }
    #expect(reason.hasPrefix("valgrind does not know an instruction of the program"))
    #expect(outcome.work == nil)
  }

  @Test func `a program that fails without valgrind is not counted`() throws {
    let outcome = try count("exit", "3", launches: 2)
    #expect(
      outcome.launches.map(\.status) == [
        .failed(
          "it exited with 3; it wrote no errors, and its standard output was discarded "
            + "(`output: keep` in a scenario keeps it)")
      ])
    #expect(outcome.work == nil)
  }

  @Test func `a program that hangs without valgrind meets the scenario's time limit`() throws {
    let outcome = try count("wait", "0", timeout: 100_000_000)
    #expect(outcome.launches.map(\.status) == [.timedOut])
  }
}

/// The settings of callgrind and its messages.
struct CallgrindTests {
  private let callgrind = Callgrind(path: "/usr/bin/valgrind", events: [])

  @Test func `a missing valgrind is reported with the name of its package`() {
    let finder = ProgramFinder(programDirectory: "/", environment: ["PATH": "/nowhere"])
    #expect(throws: RunnerError.valgrindNotFound) { try finder.callgrind([]) }
    #expect("\(RunnerError.valgrindNotFound)".contains("Install the Debian package 'valgrind'"))
  }

  @Test func `a launch keeps its words, and hashes get fixed seeds`() {
    var launch = WorkerProcess.Configuration(
      path: "/bin/app", arguments: ["-v", "x"], environment: ["PYTHONHASHSEED": "7"],
      descriptors: [])
    callgrind.prepare(&launch, in: "/tmp/50%", isWhole: false)
    #expect(launch.path == "/usr/bin/valgrind")
    #expect(launch.arguments.suffix(3) == ["/bin/app", "-v", "x"])
    #expect(launch.arguments.contains("--callgrind-out-file=/tmp/50%%/counts.%p"))
    #expect(launch.arguments.contains("--instr-atstart=no"))
    #expect(launch.environment["SWIFT_DETERMINISTIC_HASHING"] == "1")
    #expect(launch.environment["PYTHONHASHSEED"] == "7")
  }

  /// Two seconds become 400 s, or 800 s with simulations, and a minute.
  @Test func `the time limit is a multiple of the time without valgrind`() {
    #expect(callgrind.timeLimit(plain: 2_000_000_000) == 460_000_000_000)
    let simulating = Callgrind(path: "", events: .cacheMisses)
    #expect(simulating.timeLimit(plain: 2_000_000_000) == 860_000_000_000)
    #expect(callgrind.timeLimit(plain: .max) < UInt64.max / 3)
  }

  @Test func `a counted launch that meets its time limit has no counts, and a warning says so`()
    throws
  {
    let folder = try TemporaryFolder()
    let scenario = Scenario(
      name: "slow", summary: "", workload: "", worker: .command(["/bin/true"]),
      variants: [Scenario.Variant(name: "plain", parameters: [:])], defaultVariant: "plain")
    let plan = MeasurementPlan(
      scenario: scenario, variant: "plain", parameters: [:], iterations: 2, warmup: 0, rate: 0,
      seed: 1, program: ["/bin/true"], agent: nil, cacheDirectory: folder("data"),
      scratchDirectory: folder("scratch"))
    let counter = try WorkCounter(callgrind, plan: plan, isWhole: true) { original in
      WorkProfileBuilder(original: original)
    }
    var record = LaunchRecord(index: 0, isWarmup: false, offset: 0)
    record.status = .timedOut
    let late = counter.finish(&record, in: folder.path)
    #expect(late.isEmpty)
    #expect(record.status == .timedOut && counter.profile() == nil)
    #expect(counter.warnings.map(\.code) == ["work.time_limit"])
    // A launch that valgrind did not run states valgrind's reason.
    try "==9== Valgrind: unknown program\n".write(
      toFile: folder("valgrind.log"), atomically: true, encoding: .utf8)
    record.status = .completed
    let stopped = counter.finish(&record, in: folder.path)
    #expect(stopped.isEmpty)
    #expect(record.status == .failed("valgrind stopped: unknown program"))
  }

  @Test func `the line on which valgrind stops is the reason of a failure`() {
    let log = """
      ==29927== Callgrind, a call-graph generating cache profiler
      ==29927== Command: ./app
      ### unhandled dwarf2 abbrev form code 0x25
      ==29927== Valgrind: debuginfo reader: ensure_valid failed:
      ==29927== Valgrind:   during call to ML_(img_get)
      """
    #expect(
      Callgrind.obstacle(in: log) == "valgrind stopped: debuginfo reader: ensure_valid failed")
    #expect(Callgrind.obstacle(in: "==1== Command: valgrind: x\n==1== Events    : Ir\n") == nil)
  }
}
