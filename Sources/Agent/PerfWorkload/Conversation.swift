/// The worker's side of the control channel, from its hello to its end.
///
/// The main thread reads the channel until the measured phase begins; from then on a `Listener`
/// reads it.
final class Conversation {
  private let suite: WorkloadSuite
  private let channel: LineChannel
  private let warnings: WarningGate
  private var prepared: Prepared?

  /// A workload that is ready for its measured phase.
  private struct Prepared {
    let workload: any WorkloadDefinition
    let declared: [CounterDeclaration]
    let parameters: ParameterValues
  }

  init(suite: WorkloadSuite, channel: LineChannel) {
    self.suite = suite
    self.channel = channel
    warnings = WarningGate(channel: channel)
  }

  /// Runs the conversation.
  ///
  /// - Parameter exit: Called at the end with the exit status of the process: before `run` returns,
  ///   or later on the main actor if the workload is asynchronous.
  func run(then exit: @escaping @Sendable (Int32) -> Void) {
    channel.send(.hello(Hello(suite)))
    var stage = "protocol"
    do {
      while let message = try channel.nextMessage() {
        switch message {
        case .setup(let order):
          stage = "setup"
          try setUp(order)
          return exit(0)
        case .prepare(let order, let launch, let scratch):
          stage = "prepare"
          try prepare(order, launch: launch, scratch: scratch)
          stage = "protocol"
        case .measure:
          stage = "measure"
          return try measure(then: exit)
        case .pressure: continue
        case .quit: return exit(0)
        }
      }
    } catch {
      channel.send(.failed(stage: stage, message: "\(error)"))
    }
    exit(1)
  }

  private func setUp(_ order: HarnessMessage.WorkOrder) throws {
    let type = try suite.workload(named: order.workload)
    let channel = channel
    let context = SetupContext(
      parameters: try ParameterValues(order.parameters, of: type.parameters), seed: order.seed,
      cacheDirectory: order.cache,
      progress: { label, done, total in
        channel.send(.progress(label: label, done: done, total: total))
      },
      warning: warnings.send)
    let result = try type.setup(context)
    channel.send(.ready(files: result.files, notes: result.notes))
  }

  private func prepare(
    _ order: HarnessMessage.WorkOrder, launch: Int, scratch: String
  ) throws {
    guard prepared == nil else {
      throw WorkloadError.outOfOrder(message: "prepare", expected: "'measure'")
    }
    let type = try suite.workload(named: order.workload)
    let parameters = try ParameterValues(order.parameters, of: type.parameters)
    let context = PreparationContext(
      parameters: parameters, seed: order.seed, launch: launch, cacheDirectory: order.cache,
      scratchDirectory: scratch, warning: warnings.send)
    prepared = Prepared(
      workload: try type.init(context), declared: type.counters, parameters: parameters)
    channel.send(.prepared)
  }

  private func measure(then exit: @escaping @Sendable (Int32) -> Void) throws {
    guard let prepared else {
      throw WorkloadError.outOfOrder(message: "measure", expected: "'prepare'")
    }
    let phase = try MeasuredPhase(
      channel: channel, warnings: warnings, declared: prepared.declared,
      parameters: prepared.parameters)
    if var workload = prepared.workload as? any Workload {
      let began = phase.begin()
      let outcome = Result { try workload.measure(phase.context) }
      exit(phase.end(began: began, outcome))
    } else if let workload = prepared.workload as? any AsyncWorkload {
      // Safety: this thread does not touch the workload any more.
      nonisolated(unsafe) let unshared = workload
      Task { @MainActor in
        var workload = unshared
        let began = phase.begin()
        let outcome: Result<Void, any Error>
        do {
          try await workload.measure(phase.context)
          outcome = .success(())
        } catch {
          outcome = .failure(error)
        }
        exit(phase.end(began: began, outcome))
      }
    }
  }
}

extension LineChannel {
  /// Waits for the next message; returns nil when the harness is gone.
  ///
  /// - Throws: `MalformedMessage`.
  func nextMessage() throws(MalformedMessage) -> HarnessMessage? {
    switch next() {
    case .line(let line): return try HarnessMessage(line: line)
    case .overlong(let line):
      throw MalformedMessage(
        line: String(decoding: line, as: UTF8.self),
        reason: "it is longer than \(Self.longestLine) bytes")
    // A line without a newline is incomplete.
    case .cutOff, .closed, .deadline, .cancelled: return nil
    }
  }

  /// Sends a message.
  func send(_ message: WorkerMessage) {
    do {
      send(try message.line())
    } catch {
      // Counters are checked before they are sent, so only a default value can cause this.
      send(
        Array(
          #"{"type":"failed","stage":"protocol","message":"a parameter's default is not finite"}"#
            .utf8))
    }
  }
}
