internal import CPerfFormat

/// A number over time, as the bytes in a cache.
public struct Counter: Hashable, Sendable, ExpressibleByStringLiteral {
  private let id: UInt32

  /// Creates a counter by a literal.
  public init(stringLiteral name: StaticString) {
    id = MarkNames.shared.id(of: name)
  }

  /// Creates a counter by a name that is made up at run time.
  public init(named name: String) {
    id = MarkNames.shared.id(of: name)
  }

  /// Records what the number is from now on; an absolute value, not an increment.
  ///
  /// Any thread.
  public func set(_ value: Double) {
    guard id != 0 else { return }
    perf_mark_counter(id, value, Clock.monotonic())
  }

  /// Records what the number is from now on; an absolute value, not an increment.
  ///
  /// Any thread.
  public func set(_ value: Int) {
    set(Double(value))
  }
}
