public import CoreMetrics
internal import PerfWorkload
internal import Synchronization

/// A factory whose metrics are recorded as counters and signposts of a launch.
///
///     MetricsSystem.bootstrap(PerfMetricsFactory())
///
/// Counters and meters become counters with their current total, recorders become counters with
/// each recorded value, and timers become signposts that end when they are recorded. Dimensions are
/// part of the name, as in `requests{status=200}`.
public final class PerfMetricsFactory: MetricsFactory {
  /// Metrics with the same name share a total.
  private let totals = Mutex<[String: Total]>([:])

  /// Creates a factory without metrics.
  public init() {}

  /// Makes a counter of whole numbers.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    total(label, dimensions)
  }

  /// Makes a counter of fractions.
  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    total(label, dimensions)
  }

  /// Makes a meter, which can be set as well.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    total(label, dimensions)
  }

  /// Makes a recorder; its values are recorded one by one, also if `aggregate` is true.
  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    Values(Self.name(label, dimensions))
  }

  /// Makes a timer.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    Spans(Self.name(label, dimensions))
  }

  /// Does nothing: a name of the timeline lasts as long as the launch.
  public func destroyCounter(_ handler: any CounterHandler) {}

  /// Does nothing.
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}

  /// Does nothing.
  public func destroyMeter(_ handler: any MeterHandler) {}

  /// Does nothing.
  public func destroyRecorder(_ handler: any RecorderHandler) {}

  /// Does nothing.
  public func destroyTimer(_ handler: any TimerHandler) {}

  private func total(_ label: String, _ dimensions: [(String, String)]) -> Total {
    let name = Self.name(label, dimensions)
    return totals.withLock { totals in
      if let known = totals[name] { return known }
      let total = Total(name)
      totals[name] = total
      return total
    }
  }

  private static func name(_ label: String, _ dimensions: [(String, String)]) -> String {
    dimensions.isEmpty
      ? label : label + "{" + dimensions.map { "\($0)=\($1)" }.joined(separator: ",") + "}"
  }
}

/// A number that changes by increments; each change is recorded.
private final class Total: CounterHandler, FloatingPointCounterHandler, MeterHandler {
  private let counter: PerfWorkload.Counter
  private let value = Mutex(0.0)

  init(_ name: String) { counter = PerfWorkload.Counter(named: name) }

  func increment(by amount: Int64) { change { $0 + Double(amount) } }
  func increment(by amount: Double) { change { $0 + amount } }
  func decrement(by amount: Double) { change { $0 - amount } }
  func set(_ number: Int64) { change { _ in Double(number) } }
  func set(_ number: Double) { change { _ in number } }
  func reset() { change { _ in 0 } }

  private func change(_ next: (Double) -> Double) {
    value.withLock { value in
      value = next(value)
      // Within the lock, so that the timeline has the values in their order.
      counter.set(value)
    }
  }
}

/// Single values.
private final class Values: RecorderHandler {
  private let counter: PerfWorkload.Counter

  init(_ name: String) { counter = PerfWorkload.Counter(named: name) }

  func record(_ value: Int64) { counter.set(Double(value)) }
  func record(_ value: Double) { counter.set(value) }
}

/// Spans of which only the length is known.
private final class Spans: TimerHandler {
  private let signpost: Signpost

  init(_ name: String) { signpost = Signpost(named: name) }

  func recordNanoseconds(_ duration: Int64) {
    let ended = Clock.monotonic()
    signpost.record(from: ended - min(UInt64(max(duration, 0)), ended), to: ended)
  }
}
