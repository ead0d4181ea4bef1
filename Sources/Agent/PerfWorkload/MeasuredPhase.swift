internal import CPerfFormat
internal import Glibc
internal import Synchronization

/// The measured phase of a launch: starts the listener, reads the clocks and reports the counters.
struct MeasuredPhase: Sendable {
  /// The context that the workload gets.
  let context: MeasurementContext

  private let channel: LineChannel
  private let warnings: WarningGate
  private let declared: [CounterDeclaration]
  private let listener: Listener
  private let thread: pthread_t

  /// Starts the thread that listens to the harness.
  ///
  /// - Throws: `WorkloadError.noThread`.
  init(
    channel: LineChannel, warnings: WarningGate, declared: [CounterDeclaration],
    parameters: ParameterValues
  ) throws(WorkloadError) {
    context = MeasurementContext(parameters: parameters, warning: warnings.send)
    self.channel = channel
    self.warnings = warnings
    self.declared = declared
    listener = Listener(channel: channel, context: context)
    thread = try listener.start()
  }

  /// Begins the phase and returns the clocks at its beginning.
  func begin() -> WorkerMessage.Usage {
    warnings.close()
    let began = WorkerMessage.Usage.now()
    perf_counting_start()
    return began
  }

  /// Ends the phase, reports its outcome, waits for the harness's last message and returns the exit
  /// status of the process.
  func end(began: WorkerMessage.Usage, _ outcome: Result<Void, any Error>) -> Int32 {
    perf_counting_stop()
    let ended = WorkerMessage.Usage.now()
    listener.measuredPhaseHasEnded()
    warnings.open()
    do {
      try outcome.get()
      channel.send(
        .done(WorkerMessage.Completion(usage: (began, ended), counters: try checkedCounters())))
    } catch {
      channel.send(.failed(stage: "measure", message: "\(error)"))
      return 1
    }
    var status: UnsafeMutableRawPointer?
    pthread_join(thread, &status)
    return Int32(Int(bitPattern: status))
  }

  private func checkedCounters() throws(WorkloadError) -> [String: Double] {
    let counters = context.counters
    for (name, value) in counters.sorted(by: { $0.key < $1.key }) {
      guard declared.contains(where: { $0.name == name }) else {
        throw .unknownCounter(name: name, known: declared.map(\.name))
      }
      guard value.isFinite else { throw .badCounter(name: name, value: value) }
    }
    return counters
  }
}

/// Sends warnings at once; during the measured phase it keeps them until the end of the phase.
///
/// Any thread.
final class WarningGate: Sendable {
  private struct State {
    var isClosed = false
    var kept: [WorkerMessage.Warning] = []
  }

  private let channel: LineChannel
  private let state = Mutex(State())

  init(channel: LineChannel) {
    self.channel = channel
  }

  /// Sends a warning, or keeps it while the gate is closed.
  @Sendable func send(_ warning: WorkerMessage.Warning) {
    let isKept = state.withLock { state in
      if state.isClosed { state.kept.append(warning) }
      return state.isClosed
    }
    if !isKept { channel.send(.warning(warning)) }
  }

  func close() { state.withLock { $0.isClosed = true } }

  /// Sends the kept warnings and stops keeping them.
  func open() {
    let kept = state.withLock { state in
      defer { state = State() }
      return state.kept
    }
    for warning in kept { channel.send(.warning(warning)) }
  }
}
