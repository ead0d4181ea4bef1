internal import PerfWorkload

// Exact counters have equal values on every machine for equal parameters and seeds.
extension CounterDeclaration {
  /// Declares a time in nanoseconds.
  static func time(
    _ name: String, _ direction: Direction, scale: Scale = .difference, isExact: Bool = false,
    _ summary: String
  ) -> Self {
    Self(
      name, unit: .nanoseconds, direction: direction, scale: scale, isDeterministic: isExact,
      summary)
  }

  /// Declares a number of bytes.
  static func bytes(
    _ name: String, _ direction: Direction, scale: Scale = .difference, isExact: Bool = false,
    _ summary: String
  ) -> Self {
    Self(name, unit: .bytes, direction: direction, scale: scale, isDeterministic: isExact, summary)
  }

  /// Declares a number of things.
  static func count(
    _ name: String, _ direction: Direction, isExact: Bool = false, _ summary: String
  ) -> Self {
    Self(name, unit: .count, direction: direction, isDeterministic: isExact, summary)
  }

  /// Declares a fraction.
  static func ratio(
    _ name: String, _ direction: Direction, scale: Scale = .difference, isExact: Bool = false,
    _ summary: String
  ) -> Self {
    Self(name, unit: .ratio, direction: direction, scale: scale, isDeterministic: isExact, summary)
  }
}
