internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfRunner

/// Runs workloads for benchmarks, without a store.
struct BenchWorkshop {
  /// The measurement settings of a launch.
  struct Setting: Hashable {
    /// The name in tables.
    let name: String
    /// Samples per second; 0 runs without the agent unless allocations are counted.
    var rate = 0
    /// Whether the signal handler returns at once, which shows the cost of the signals alone.
    var hasEmptyHandler = false
    /// Whether allocations are counted; at a rate of 0 they are not sampled.
    var countsAllocations = false
    /// Whether the waits of tasks are recorded.
    var recordsTasks = false
    /// Whether the CPU's pace is measured before each launch.
    var readsPace = false
    /// What takes the samples.
    var engine = SamplingEngine.signal
    /// Whether an agent records frames and phases beside samples of the kernel.
    var recordsMarks = false
    /// A command in front of the worker, such as `perf record ... --`.
    var prefix: [String] = []

    fileprivate var needsAgent: Bool {
      countsAllocations || rate > 0 && (engine == .signal || recordsMarks)
    }
  }

  private let scratch: String
  private let finder: ProgramFinder

  /// Creates a workshop with a scratch folder.
  init() throws {
    scratch = NSTemporaryDirectory() + "perfkit-bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    finder = try Self.finder()
  }

  private static func finder() throws -> ProgramFinder {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return ProgramFinder(
      programDirectory: (own as NSString).deletingLastPathComponent,
      environment: ProcessInfo.processInfo.environment)
  }

  /// The compiler of the worker beside this program, which also compiled everything else here.
  static var toolchain: String? {
    guard let worker = try? finder().path(of: .product("BenchWorkloads"), directory: "/") else {
      return nil
    }
    let description = try? ScenarioRunner.describe(program: [worker], isCancelled: { false })
    return description.map { "Swift \($0.compiler)" }
  }

  /// Removes the scratch folder.
  func close() {
    try? FileManager.default.removeItem(atPath: scratch)
  }

  /// Returns the path of a program beside this one.
  func program(_ name: String) throws -> String {
    try finder.path(of: .product(name), directory: "/")
  }

  /// Returns the path of a program in PATH, or nil.
  func tool(_ name: String) -> String? {
    try? finder.path(of: .command([name]), directory: "/")
  }

  /// Returns the path of the agent library.
  func agent() throws -> String { try finder.agent(.sampling) }

  /// Returns the setting of `perf record` with frame pointers; nil without perf.
  func perf(rate: Int) -> Setting? {
    tool("perf").map { perf in
      Setting(
        name: "perf record -F \(rate) -g",
        prefix: [perf, "record", "-F", "\(rate)", "-g", "-o", file("perf.data"), "--"])
    }
  }

  /// Returns the path of a file in the scratch folder.
  func file(_ name: String) -> String { "\(scratch)/\(name)" }

  /// Launches a workload once.
  ///
  /// - Parameters:
  ///   - workload: The workload's name.
  ///   - worker: The worker that contains the workload.
  ///   - parameters: The parameters that differ from the defaults.
  ///   - setting: The measurement settings.
  ///   - cache: The folder of data sets; nil for the scratch folder.
  ///   - seed: The seed of data sets; nil for a random one.
  ///   - inspect: Called with the launch's samples before they become a profile.
  /// - Returns: The launch with its profile.
  /// - Throws: `RunnerError`, or `BenchError` when the launch did not complete.
  func launch(
    _ workload: String, worker: String = "BenchWorkloads", parameters: Parameters,
    setting: Setting, cache: String? = nil, seed: UInt64? = nil,
    inspect: (@Sendable (Capture) -> Void)? = nil
  ) throws -> (launch: Launch, profile: Profile?) {
    let (measured, profile) = try run(
      workload, worker: worker, parameters: parameters, setting: setting, cache: cache,
      launches: 1, seed: seed, inspect: inspect)
    return (measured[0], profile)
  }

  /// Launches a workload several times and returns one profile of all launches.
  func run(
    _ workload: String, worker: String, parameters: Parameters, setting: Setting, cache: String?,
    launches: Int, seed: UInt64? = nil, inspect: (@Sendable (Capture) -> Void)? = nil
  ) throws -> (launches: [Launch], profile: Profile?) {
    let path = try program(worker)
    let description = try ScenarioRunner.describe(program: [path], isCancelled: { false })
    guard let described = description.workload(named: workload) else {
      throw BenchError(description: "worker '\(worker)' has no workload '\(workload)'")
    }
    let complete = described.defaults.merging(parameters) { _, own in own }
    var plan = MeasurementPlan(
      scenario: Self.scenario(workload, .path(path)), variant: "bench", parameters: complete,
      iterations: launches, warmup: 0,
      rate: setting.rate,
      seed: seed ?? UInt64.random(in: 1...1_000_000), program: setting.prefix + [path],
      agent: setting.needsAgent
        ? try finder.agent(
          AgentLibrary(countsAllocations: setting.countsAllocations, rate: setting.rate)) : nil,
      cacheDirectory: cache ?? file("data"),
      scratchDirectory: file("scratch"))
    plan.engine = setting.engine
    plan.hasEmptyHandler = setting.hasEmptyHandler
    plan.countsAllocations = setting.countsAllocations
    plan.taskLibrary = setting.recordsTasks ? try finder.agent(.tasks) : nil
    plan.readsPace = setting.readsPace
    return try launch(plan, described, inspect)
  }

  /// Builds a library that adds an idle thread to a program.
  ///
  /// - Returns: The library's path, or nil without a C compiler.
  /// - Throws: `BenchError` when the build fails.
  func sleepingThread() throws -> String? {
    guard let compiler = tool("clang") ?? tool("cc") else { return nil }
    let (source, library) = (file("thread.c"), file("thread.so"))
    try """
    #include <pthread.h>
    #include <unistd.h>
    static void *sleep_on(void *nothing) { for (;;) pause(); return nothing; }
    __attribute__((constructor)) static void begin(void) {
      pthread_t thread;
      pthread_create(&thread, NULL, sleep_on, NULL);
    }
    """.write(toFile: source, atomically: true, encoding: .utf8)
    let process = try Process.run(
      URL(fileURLWithPath: compiler), arguments: ["-shared", "-fPIC", "-o", library, source])
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchError(description: "cannot build '\(source)' with \(compiler)")
    }
    return library
  }

  /// Profiles a command once and discards its output.
  ///
  /// - Parameters:
  ///   - words: The command.
  ///   - rate: Samples per second.
  ///   - engine: What takes the samples.
  ///   - followsChildren: Whether its children are sampled, too.
  ///   - inspect: Called with the samples before they become a profile.
  /// - Returns: The profile, or nil without samples.
  /// - Throws: As `launch`.
  func record(
    _ words: [String], rate: Int, engine: SamplingEngine = .signal, followsChildren: Bool = false,
    inspect: (@Sendable (Capture) -> Void)? = nil
  ) throws -> Profile? {
    let path = try finder.path(of: .command(words), directory: "/")
    var plan = MeasurementPlan(
      scenario: Self.scenario("", .command(words)), variant: "bench", parameters: [:],
      iterations: 1, warmup: 0, rate: rate,
      seed: UInt64.random(in: 1...1_000_000), program: [path] + words.dropFirst(),
      agent: try finder.agent(.sampling), cacheDirectory: file("data"),
      scratchDirectory: file("scratch"))
    (plan.engine, plan.followsChildren) = (engine, followsChildren)
    plan.stackBytes = engine.defaultStackBytes(rate: rate)
    return try launch(plan, nil, inspect).profile
  }

  private static func scenario(_ workload: String, _ worker: Scenario.Worker) -> Scenario {
    Scenario(
      name: "bench", summary: "", workload: workload, worker: worker,
      variants: [.init(name: "bench", parameters: [:])], defaultVariant: "bench",
      timeout: 300_000_000_000)
  }

  /// Counts launches of a workload under callgrind.
  func count(
    _ workload: String, worker: String, parameters: Parameters, launches: Int
  ) throws -> Run {
    let path = try program(worker)
    let description = try ScenarioRunner.describe(program: [path], isCancelled: { false })
    guard let described = description.workload(named: workload) else {
      throw BenchError(description: "worker '\(worker)' has no workload '\(workload)'")
    }
    return try count(
      Self.scenario(workload, .path(path)), [path], described,
      parameters: described.defaults.merging(parameters) { _, own in own }, launches: launches)
  }

  /// Counts launches of a command under callgrind.
  func count(command words: [String], launches: Int) throws -> Run {
    let path = try finder.path(of: .command(words), directory: "/")
    return try count(
      Self.scenario("", .command(words)), [path] + words.dropFirst(), nil, parameters: [:],
      launches: launches)
  }

  private func count(
    _ scenario: Scenario, _ program: [String], _ workload: WorkerDescription.Workload?,
    parameters: Parameters, launches: Int
  ) throws -> Run {
    // It contains a copy of the program, so that each run has its own.
    let folder = file("counted-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // Both sides have the same data sets, so the seed is constant.
    var plan = MeasurementPlan(
      scenario: scenario, variant: "bench", parameters: parameters, iterations: launches,
      warmup: 0, rate: 0, seed: 1, program: program, agent: nil, cacheDirectory: file("data"),
      scratchDirectory: folder)
    plan.count(by: try finder.callgrind([]))
    let outcome = try run(plan, workload)
    return Run(
      id: "bench", scenario: "bench", variant: "bench", label: nil,
      started: Timestamp(milliseconds: 0), seed: 1, parameters: parameters, command: program,
      environment: Environment(facts: [:]), definitions: MetricCatalog.standardDefinitions,
      launches: outcome.launches, budgets: [], profile: nil, work: outcome.work, warnings: [],
      wasInterrupted: false)
  }

  private func launch(
    _ plan: MeasurementPlan, _ workload: WorkerDescription.Workload?,
    _ inspect: (@Sendable (Capture) -> Void)?
  ) throws -> (launches: [Launch], profile: Profile?) {
    let outcome = try run(plan, workload, inspect)
    return (outcome.launches, outcome.profile)
  }

  private func run(
    _ plan: MeasurementPlan, _ workload: WorkerDescription.Workload?,
    _ inspect: (@Sendable (Capture) -> Void)? = nil
  ) throws -> RunOutcome {
    var runner = ScenarioRunner(plan: plan, workload: workload, isCancelled: { false })
    runner.inspect = inspect
    let outcome = try runner.run(symbols: nil) { _ in }
    let status =
      outcome.launches.isEmpty
      ? "made no launch"
      : outcome.launches.first { $0.status != .completed }?.status.description
    if let status {
      throw BenchError(description: "'\(plan.program.joined(separator: " "))' failed: \(status)")
    }
    return outcome
  }
}

/// An error that prevents a benchmark.
struct BenchError: Error, CustomStringConvertible {
  let description: String
}
