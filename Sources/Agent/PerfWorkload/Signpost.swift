internal import CPerfFormat

/// A named span or moment of the time line, beside the phases.
public struct Signpost: Hashable, Sendable, ExpressibleByStringLiteral {
  private let id: UInt32

  /// Creates a signpost by a literal.
  public init(stringLiteral name: StaticString) {
    id = MarkNames.shared.id(of: name)
  }

  /// Creates a signpost by a name that is made up at run time.
  public init(named name: String) {
    id = MarkNames.shared.id(of: name)
  }

  /// Runs work as a span of the time line; samples carry the innermost one.
  ///
  /// Any thread.
  ///
  /// - Throws: What `body` throws.
  public func measure<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard id != 0 else { return try body() }
    let began = Clock.monotonic()
    let previous = perf_mark_signpost_enter(id)
    defer { perf_mark_signpost_exit(id, previous, began, Clock.monotonic()) }
    return try body()
  }

  /// Marks this moment, with a number that means what the name says.
  ///
  /// Any thread.
  public func emit(_ value: Double = 0) {
    guard id != 0 else { return }
    perf_mark_event(id, value, Clock.monotonic())
  }
}
