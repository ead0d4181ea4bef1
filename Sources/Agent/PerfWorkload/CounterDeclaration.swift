/// A number that a workload reports at the end of its measured phase, and that becomes a metric.
public struct CounterDeclaration: Equatable, Sendable {
  /// What it is counted in.
  public enum Unit: String, Sendable {
    case nanoseconds = "ns"
    case bytes = "B"
    case count
    case ratio
    case millisecondsPerSecond = "ms/s"
    case framesPerSecond = "fps"
  }

  /// Which way is better.
  public enum Direction: String, Sendable {
    case lower
    case higher
    case neutral
  }

  /// How two values are compared.
  public enum Scale: String, Sendable {
    /// By their ratio: for strictly positive values.
    case ratio
    /// By their difference: for values that can be zero or negative.
    case difference
  }

  /// Its name among the metrics, dotted, as `cache.hit_ratio`.
  public let name: String
  /// What it is counted in.
  public let unit: Unit
  /// Which way is better.
  public let direction: Direction
  /// How two values are compared.
  public let scale: Scale
  /// Whether the same parameters and seed give the same value on every machine.
  public let isDeterministic: Bool
  /// Its exact definition, in one sentence.
  public let summary: String

  /// Declares a counter.
  public init(
    _ name: String, unit: Unit, direction: Direction, scale: Scale = .difference,
    isDeterministic: Bool = false, _ summary: String
  ) {
    self.name = name
    self.unit = unit
    self.direction = direction
    self.scale = scale
    self.isDeterministic = isDeterministic
    self.summary = summary
  }
}
