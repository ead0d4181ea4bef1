internal import Foundation
public import PerfModel
public import PerfProfile
internal import PerfProtocol

/// Measures one variant of a scenario with launches in fresh processes.
public struct ScenarioRunner: Sendable {
  private let plan: MeasurementPlan
  private let workload: WorkerDescription.Workload?
  private let isCancelled: @Sendable () -> Bool
  private let isOutOfTime: @Sendable () -> Bool
  /// Called with the capture of each measured launch before it becomes a profile; for benchmarks.
  public var inspect: (@Sendable (Capture) -> Void)?

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - workload: The worker's description of the workload; nil for a command.
  ///   - isCancelled: Whether the user wants to stop; called about ten times a second.
  ///   - isOutOfTime: Whether no further launch should start.
  public init(
    plan: MeasurementPlan, workload: WorkerDescription.Workload?,
    isCancelled: @escaping @Sendable () -> Bool,
    isOutOfTime: @escaping @Sendable () -> Bool = { false }
  ) {
    self.plan = plan
    self.workload = workload
    self.isCancelled = isCancelled
    self.isOutOfTime = isOutOfTime
  }

  /// Starts a worker, reads its hello message and ends it.
  ///
  /// - Parameters:
  ///   - program: The path of the worker and its arguments.
  ///   - directory: The working directory; nil for the harness's.
  ///   - isCancelled: Whether the user wants to stop.
  /// - Returns: The worker's description.
  /// - Throws: `RunnerError` if the worker cannot be started, does not answer or has an unknown
  ///   version.
  public static func describe(
    program: [String], directory: String? = nil, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> WorkerDescription {
    let session = try WorkerSession(
      Self.launch(program, in: directory), isCancelled: isCancelled)
    defer { session.close() }
    guard let description = try session.hello() else { throw CancellationError() }
    return description
  }

  /// Makes all launches.
  ///
  /// - Parameters:
  ///   - symbols: The cache of resolved addresses.
  ///   - symbolication: The process that reads symbols and debug information.
  ///   - observe: Called with each event in order, on the calling thread.
  /// - Returns: The result up to the end or the user's stop.
  /// - Throws: `RunnerError` if the worker cannot be set up or breaks the protocol; errors of
  ///   `observe`.
  public func run(
    symbols: SymbolCache?, symbolication: Symbolication = .inProcess,
    observe: (RunEvent) throws -> Void
  ) throws -> RunOutcome {
    var launches = try begin(symbols: symbols, symbolication: symbolication, observe: observe)
    while try launches.makeNext(observe) {}
    return try launches.finish(observe)
  }

  /// Prepares the data of all launches, and makes none.
  ///
  /// - Parameters:
  ///   - symbols: The cache of resolved addresses.
  ///   - symbolication: The process that reads symbols and debug information.
  ///   - observe: Called with each event in order, on the calling thread.
  /// - Returns: The launches, to be made one at a time.
  /// - Throws: The errors of `run`.
  public func begin(
    symbols: SymbolCache?, symbolication: Symbolication = .inProcess,
    observe: (RunEvent) throws -> Void
  ) throws -> LaunchSequence {
    LaunchSequence(
      plan: plan,
      launcher: try prepare(symbols: symbols, symbolication: symbolication, observe: observe),
      isCancelled: isCancelled, isOutOfTime: isOutOfTime)
  }

  /// Prepares the data of all launches; returns nil if the user stopped it.
  func prepare(
    symbols: SymbolCache?, symbolication: Symbolication, observe: (RunEvent) throws -> Void
  ) throws -> Launcher? {
    var ready = SetupAnswer()
    if plan.hasWorkload {
      guard let answer = try setUp(observe) else { return nil }
      ready = answer
    }
    let launcher = try Launcher(
      plan: plan, workload: workload, setup: ready, symbols: symbols,
      symbolication: symbolication, isCancelled: isCancelled)
    launcher.inspect = inspect
    return launcher
  }

  struct SetupAnswer {
    var files: [String] = []
    var notes: [String: String] = [:]
    var warnings: [RunWarning] = []
  }

  /// The maximum time between two messages of a setup.
  private static let longestSilence: UInt64 = 120_000_000_000

  /// Runs the worker's setup; returns nil if the user stopped it.
  private func setUp(_ observe: (RunEvent) throws -> Void) throws -> SetupAnswer? {
    var launch = Self.launch(plan)
    LaunchGuard().mark(&launch)
    let session = try WorkerSession(
      launch, opening: [.setup(plan.order)], isCancelled: isCancelled)
    defer { session.close() }
    guard try session.hello() != nil else { return nil }
    while true {
      switch try session.answer(
        stage: "setup", deadline: SystemCalls.now() + Self.longestSilence)
      {
      case .message(.progress(let label, let done, let total)):
        try observe(.setup(label: label, done: done, total: total))
      case .message(.ready(let files, let notes)):
        let end = session.close().map { WorkerSession.warning(ofEnd: $0, after: "setup") }
        return SetupAnswer(
          files: files, notes: notes, warnings: session.warnings + [end].compactMap(\.self))
      case .message(.failed(let stage, let message)):
        throw RunnerError.stageFailed(worker: session.name, stage: stage, message: message)
      case .message: throw session.unexpected("setup")
      case .ended(let ending): throw session.silence("setup", ending)
      case .deadline: throw session.silence("setup", nil)
      case .cancelled: return nil
      }
    }
  }

  static func launch(_ plan: MeasurementPlan) -> WorkerProcess.Configuration {
    launch(plan.program, in: plan.surroundings.directory)
  }

  private static func launch(
    _ program: [String], in directory: String?
  ) -> WorkerProcess.Configuration {
    var launch = WorkerProcess.Configuration(
      path: program[0], arguments: Array(program.dropFirst()),
      environment: ProcessInfo.processInfo.environment, descriptors: [])
    // Processes that outlive a launch would disturb the next launch.
    launch.leavesNothing = true
    launch.directory = directory
    return launch
  }
}

extension MeasurementPlan {
  var order: HarnessMessage.WorkOrder {
    HarnessMessage.WorkOrder(
      workload: scenario.workload, parameters: parameters, seed: seed, cache: cacheDirectory)
  }
}
