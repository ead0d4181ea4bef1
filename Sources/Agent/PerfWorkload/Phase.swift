internal import CPerfFormat

/// A named kind of work, such as layout or decode.
///
/// Samples carry the phase in which they were taken. Phases belong to a thread and nest; the
/// innermost phase counts. Keep a phase in a constant, so that its name is looked up only once:
///
///     extension Phase { static let decode: Phase = "decode" }
///     let image = try Phase.decode.measure { try decode(data) }
public struct Phase: Hashable, Sendable, ExpressibleByStringLiteral {
  private let id: UInt32

  /// Creates a phase with a literal name.
  public init(stringLiteral name: StaticString) {
    id = MarkNames.shared.id(of: name)
  }

  /// Creates a phase with a name that is computed at run time.
  public init(named name: String) {
    id = MarkNames.shared.id(of: name)
  }

  /// Runs `body` as part of this phase.
  ///
  /// Any thread.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public func measure<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard id != 0 else { return try body() }
    let began = Clock.monotonic()
    let previous = perf_mark_phase_enter(id)
    defer { perf_mark_phase_exit(id, previous, began, Clock.monotonic()) }
    return try body()
  }

  /// Runs an asynchronous `body` and records its time, waiting included, as a span of this phase.
  ///
  /// Samples do not carry the phase, because an asynchronous body moves between threads. Measure the
  /// synchronous parts of the body to have the phase in samples.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public func measure<Result, Failure: Error>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard id != 0 else { return try await body() }
    let began = Clock.monotonic()
    defer {
      // The current thread may not be the one on which the body began.
      perf_mark_phase_exit(id, perf_mark_phase_enter(id), began, Clock.monotonic())
    }
    return try await body()
  }
}
