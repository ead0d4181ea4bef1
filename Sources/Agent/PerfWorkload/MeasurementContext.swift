internal import Synchronization

/// What a workload's `measure` is given.
public final class MeasurementContext: Sendable {
  private struct State {
    var counters: [String: Double] = [:]
    var handlers: [PressureHandler] = []
  }

  private let state = Mutex(State())
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
  /// It is called on a thread of the worker's own, beside `measure`, one message at a time. Any
  /// thread.
  public func onPressure(_ handler: @escaping PressureHandler) {
    state.withLock { $0.handlers.append(handler) }
  }

  /// Adds a warning to the run; it is sent when the measured phase has ended.
  ///
  /// Any thread.
  public func warn(_ code: String, _ message: String, remedy: String) {
    sink(WorkloadWarning(code: code, message: message, remedy: remedy))
  }

  /// Calls the pressure handlers, in the order in which they were added.
  public func deliverPressure(_ level: PressureLevel, fraction: Double) {
    for handler in state.withLock({ $0.handlers }) { handler(level, fraction) }
  }

  /// The counters that were reported so far.
  public var counters: [String: Double] {
    state.withLock { $0.counters }
  }
}
