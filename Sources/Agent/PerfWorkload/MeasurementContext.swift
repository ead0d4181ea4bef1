internal import Synchronization

/// The input of a workload's `measure`, and the receiver of its counters.
public final class MeasurementContext: Sendable {
  private typealias PressureHandler = @Sendable (PressureLevel, Double) -> Void

  private struct State {
    var counters: [String: Double] = [:]
    var handlers: [PressureHandler] = []
    var latest: (level: PressureLevel, fraction: Double)?
  }

  /// The parameter values of the run.
  public let parameters: ParameterValues

  private let state = Mutex(State())
  /// Held while handlers run, so that they run for one message at a time.
  private let turn = Mutex(())
  private let sink: @Sendable (WorkerMessage.Warning) -> Void

  package init(
    parameters: ParameterValues = ParameterValues(),
    warning: @escaping @Sendable (WorkerMessage.Warning) -> Void = { _ in }
  ) {
    self.parameters = parameters
    sink = warning
  }

  /// Returns the value of a parameter.
  ///
  /// - Precondition: The workload lists the parameter in its `parameters`.
  public subscript<Value>(parameter: Parameter<Value>) -> Value { parameters[parameter] }

  /// Sets the final value of a declared counter; the last call per counter counts.
  ///
  /// Any thread.
  ///
  /// - Parameters:
  ///   - name: The name of a counter in the workload's `counters`.
  ///   - value: A finite number in the counter's unit.
  public func report(_ name: String, _ value: Double) {
    state.withLock { $0.counters[name] = value }
  }

  /// Sets the final value of a declared counter to a whole number.
  public func report(_ name: String, _ value: Int) { report(name, Double(value)) }

  /// Adds a handler that is called for each message about memory pressure.
  ///
  /// Messages come only in scenarios that simulate memory pressure. Handlers run on a thread of
  /// PerfKit, concurrently with `measure`, for one message at a time. If there was a message before,
  /// the handler is also called at once, on the calling thread. Any thread may call this function,
  /// but no handler may.
  ///
  /// - Parameter handler: Receives the level and the used fraction of the memory budget, which can
  ///   exceed 1.
  public func onPressure(
    _ handler: @escaping @Sendable (_ level: PressureLevel, _ fraction: Double) -> Void
  ) {
    turn.withLock { _ in
      let latest = state.withLock { state in
        state.handlers.append(handler)
        return state.latest
      }
      if let latest { handler(latest.level, latest.fraction) }
    }
  }

  /// Adds a warning to the run's report, from any thread, as
  /// ``SetupContext/warn(code:message:remedy:)`` does; it is sent after the measured phase.
  public func warn(code: String, message: String, remedy: String) {
    sink(WorkerMessage.Warning(code: code, message: message, remedy: remedy))
  }

  /// Calls the pressure handlers in the order in which they were added.
  package func deliverPressure(_ level: PressureLevel, fraction: Double) {
    turn.withLock { _ in
      let handlers = state.withLock { state in
        state.latest = (level, fraction)
        return state.handlers
      }
      for handler in handlers { handler(level, fraction) }
    }
  }

  /// The current values of the reported counters, by name.
  package var counters: [String: Double] { state.withLock(\.counters) }
}
