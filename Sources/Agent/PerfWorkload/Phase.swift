internal import CPerfFormat

/// A named kind of work, as layout, decode or palette: every sample carries the phase it fell into.
///
/// Phases nest; the innermost one counts. They belong to the thread on which they run. One that is
/// kept in a constant saves the look-up of its name:
///
///     extension Phase { static let decode: Phase = "decode" }
///     let image = try Phase.decode.measure { try decode(data) }
public struct Phase: Hashable, Sendable, ExpressibleByStringLiteral {
  private let id: UInt32

  /// Creates a phase by a literal.
  public init(stringLiteral name: StaticString) {
    id = MarkNames.shared.id(of: name)
  }

  /// Creates a phase by a name that is made up at run time.
  public init(named name: String) {
    id = MarkNames.shared.id(of: name)
  }

  /// Runs work in this phase.
  ///
  /// Any thread.
  ///
  /// - Throws: What `body` throws.
  public func measure<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard id != 0 else { return try body() }
    let began = Clock.monotonic()
    let previous = perf_mark_phase_enter(id)
    defer { perf_mark_phase_exit(id, previous, began, Clock.monotonic()) }
    return try body()
  }
}
