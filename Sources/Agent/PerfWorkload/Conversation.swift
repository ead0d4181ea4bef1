internal import Glibc
internal import Synchronization

/// The worker's side of the control channel, from its hello to its end.
///
/// The main thread reads until the measured phase begins; from then on a thread of its own does,
/// which passes pressure on and notices the end of the harness.
final class Conversation {
  private let suite: WorkloadSuite
  private let channel: ControlChannel
  private let warnings: WarningGate
  private var prepared: (workload: any Workload, declared: [CounterDeclaration])?

  /// Creates a conversation that has not begun.
  init(suite: WorkloadSuite, channel: ControlChannel) {
    self.suite = suite
    self.channel = channel
    warnings = WarningGate(channel: channel)
  }

  /// Holds the conversation and returns the exit status of the process.
  func run() -> Int32 {
    channel.send(WorkerMessage.hello(suite: suite.name, workloads: suite.workloads).line())
    while true {
      var stage = "protocol"
      do {
        guard let message = try channel.nextMessage() else { return 1 }
        switch message {
        case .setup(let order):
          stage = "setup"
          try setUp(order)
          return 0
        case .prepare(let order, let iteration, let scratch):
          stage = "prepare"
          try prepare(order, iteration: iteration, scratch: scratch)
        case .measure:
          stage = "measure"
          return try measure()
        case .pressure: continue
        case .quit: return 0
        }
      } catch {
        channel.send(WorkerMessage.failed(stage: stage, message: "\(error)").line())
        return 1
      }
    }
  }

  private func setUp(_ order: HarnessMessage.WorkOrder) throws {
    let type = try suite.workload(named: order.workload)
    let channel = channel
    let context = SetupContext(
      parameters: try ParameterValues(order.parameters, of: type.parameters), seed: order.seed,
      cacheDirectory: order.cache,
      progress: { label, done, total in
        channel.send(WorkerMessage.progress(label: label, done: done, total: total).line())
      },
      warning: warnings.send)
    channel.send(WorkerMessage.ready(try type.setup(context)).line())
  }

  private func prepare(
    _ order: HarnessMessage.WorkOrder, iteration: Int, scratch: String
  ) throws {
    guard prepared == nil else {
      throw WorkloadError.outOfOrder(message: "prepare", expected: "'measure'")
    }
    let type = try suite.workload(named: order.workload)
    let context = PreparationContext(
      parameters: try ParameterValues(order.parameters, of: type.parameters), seed: order.seed,
      iteration: iteration, cacheDirectory: order.cache, scratchDirectory: scratch,
      warning: warnings.send)
    prepared = (try type.init(context), type.counters)
    channel.send(WorkerMessage.prepared.line())
  }

  /// Runs the measured phase, then waits for the harness's last word and returns the exit status.
  private func measure() throws -> Int32 {
    guard let prepared else {
      throw WorkloadError.outOfOrder(message: "measure", expected: "'prepare'")
    }
    var workload = prepared.workload
    let context = MeasurementContext(warning: warnings.send)
    let listener = Listener(channel: channel, context: context)
    let thread = try listener.start()

    warnings.close()
    let began = ProcessUsage.now()
    let outcome = Result { try workload.measure(context) }
    let ended = ProcessUsage.now()
    listener.measuredPhaseHasEnded()
    warnings.open()

    try outcome.get()
    let counters = try Self.checked(context.counters, declared: prepared.declared)
    channel.send(WorkerMessage.done(began: began, ended: ended, counters: counters).line())
    var status: UnsafeMutableRawPointer?
    pthread_join(thread, &status)
    return Int32(Int(bitPattern: status))
  }

  private static func checked(
    _ counters: [String: Double], declared: [CounterDeclaration]
  ) throws(WorkloadError) -> [String: Double] {
    for (name, value) in counters.sorted(by: { $0.key < $1.key }) {
      guard declared.contains(where: { $0.name == name }) else {
        throw .unknownCounter(name: name, known: declared.map(\.name))
      }
      guard value.isFinite else { throw .badCounter(name: name, value: value) }
    }
    return counters
  }
}

/// Sends warnings at once, or keeps them while the measured phase runs.
///
/// Any thread.
private final class WarningGate: Sendable {
  private struct State {
    var isClosed = false
    var kept: [WorkloadWarning] = []
  }

  private let channel: ControlChannel
  private let state = Mutex(State())

  init(channel: ControlChannel) {
    self.channel = channel
  }

  @Sendable func send(_ warning: WorkloadWarning) {
    let isKept = state.withLock { state in
      if state.isClosed { state.kept.append(warning) }
      return state.isClosed
    }
    if !isKept { channel.send(WorkerMessage.warning(warning).line()) }
  }

  func close() { state.withLock { $0.isClosed = true } }

  func open() {
    let kept = state.withLock { state in
      defer { state = State() }
      return state.kept
    }
    for warning in kept { channel.send(WorkerMessage.warning(warning).line()) }
  }
}

extension ControlChannel {
  /// Waits for the next message; nil when the harness is gone.
  ///
  /// - Throws: `WorkloadError.badMessage`.
  func nextMessage() throws(WorkloadError) -> HarnessMessage? {
    switch next() {
    case .line(let line): return try HarnessMessage(line: line)
    case .overlong:
      throw .badMessage(line: "", reason: "it is longer than \(Self.longestLine) bytes")
    case .closed: return nil
    }
  }
}
