internal import Synchronization

/// What a workload's `measure` is given.
public final class MeasurementContext: Sendable {
  private struct State {
    var counters: [String: Double] = [:]
    var handlers: [PressureHandler] = []
    var latest: (level: PressureLevel, fraction: Double)?
  }

  private let state = Mutex(State())
  /// Held while handlers run: there is one message at a time.
  private let turn = Mutex(())
  private let sink: @Sendable (WorkloadWarning) -> Void

  /// Creates a context.
  public init(warning: @escaping @Sendable (WorkloadWarning) -> Void = { _ in }) {
    sink = warning
  }

  /// Sets the final value of a declared counter; the last report counts.
  ///
  /// Any thread.
  public func report(_ name: String, _ value: Double) {
    state.withLock { $0.counters[name] = value }
  }

  /// Sets the final value of a declared counter; the last report counts.
  ///
  /// Any thread.
  public func report(_ name: String, _ value: Int) {
    report(name, Double(value))
  }

  /// Adds a function that is called at every message about memory pressure.
  ///
  /// It is called on a thread of the worker's own, beside `measure`, one message at a time; at once,
  /// and by the caller, when there is pressure already. Any thread, but not from a handler.
  public func onPressure(_ handler: @escaping PressureHandler) {
    turn.withLock { _ in
      let latest = state.withLock { state in
        state.handlers.append(handler)
        return state.latest
      }
      if let latest { handler(latest.level, latest.fraction) }
    }
  }

  /// Adds a warning to the run; it is sent when the measured phase has ended.
  ///
  /// Any thread.
  public func warn(_ code: String, _ message: String, remedy: String) {
    sink(WorkloadWarning(code: code, message: message, remedy: remedy))
  }

  /// Calls the pressure handlers, in the order in which they were added.
  public func deliverPressure(_ level: PressureLevel, fraction: Double) {
    turn.withLock { _ in
      let handlers = state.withLock { state in
        state.latest = (level, fraction)
        return state.handlers
      }
      for handler in handlers { handler(level, fraction) }
    }
  }

  /// The counters that were reported so far.
  public var counters: [String: Double] {
    state.withLock { $0.counters }
  }
}
