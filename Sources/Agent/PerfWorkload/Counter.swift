internal import CPerfFormat

/// A number that is recorded over time, such as the bytes in a cache.
public struct Counter: Hashable, Sendable, ExpressibleByStringLiteral {
  private let id: UInt32

  /// Creates a counter with a literal name.
  public init(stringLiteral name: StaticString) {
    id = MarkNames.shared.id(of: name)
  }

  /// Creates a counter with a name that is computed at run time.
  public init(named name: String) {
    id = MarkNames.shared.id(of: name)
  }

  /// Records the current value of the number.
  ///
  /// Any thread.
  ///
  /// - Parameter value: The absolute value, not an increment.
  public func set(_ value: Double) {
    guard id != 0 else { return }
    perf_mark_counter(id, value, Clock.monotonic())
  }

  /// Records the current value of a whole number.
  public func set(_ value: Int) { set(Double(value)) }
}
