/// A number that a workload reports at the end of its measured phase and that becomes a metric.
public struct CounterDeclaration: Equatable, Sendable {
  /// The unit of a counter.
  public enum Unit: String, Sendable {
    /// Nanoseconds.
    case nanoseconds = "ns"
    /// Bytes.
    case bytes = "B"
    /// A number of things.
    case count
    /// A fraction, normally from 0 to 1.
    case ratio
    /// Milliseconds per second.
    case millisecondsPerSecond = "ms/s"
    /// Frames per second.
    case framesPerSecond = "fps"
  }

  /// The direction in which a counter improves.
  public enum Direction: String, Sendable {
    /// Lower values are better.
    case lower
    /// Higher values are better.
    case higher
    /// Neither direction is better.
    case neutral
  }

  /// The way in which two values of a counter are compared.
  public enum Scale: String, Sendable {
    /// By their ratio, for values that are always positive.
    case ratio
    /// By their difference, for values that can be zero or negative.
    case difference
  }

  /// The counter as the worker describes it to the harness.
  let wire: Hello.Counter

  package var name: String { wire.name }

  /// Declares a counter.
  ///
  /// - Parameters:
  ///   - name: The dotted name of the metric, e.g. `cache.hit_ratio`.
  ///   - unit: The unit of the reported values.
  ///   - direction: The direction in which the counter improves.
  ///   - scale: The way in which two values are compared.
  ///   - isDeterministic: Whether equal parameters and seeds yield equal values on every machine.
  ///   - summary: The definition, in one sentence.
  public init(
    _ name: String, unit: Unit, direction: Direction, scale: Scale = .difference,
    isDeterministic: Bool = false, _ summary: String
  ) {
    wire = Hello.Counter(
      name: name, unit: unit.rawValue, direction: direction.rawValue, scale: scale.rawValue,
      summary: summary, isDeterministic: isDeterministic)
  }
}
