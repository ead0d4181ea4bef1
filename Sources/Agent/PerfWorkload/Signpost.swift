internal import CPerfFormat

/// A named span or moment of the timeline, independent of phases.
public struct Signpost: Hashable, Sendable, ExpressibleByStringLiteral {
  private let id: UInt32

  /// Creates a signpost with a literal name.
  public init(stringLiteral name: StaticString) {
    id = MarkNames.shared.id(of: name)
  }

  /// Creates a signpost with a name that is computed at run time.
  public init(named name: String) {
    id = MarkNames.shared.id(of: name)
  }

  /// Runs `body` as a span of the timeline.
  ///
  /// Samples carry the innermost signpost of their thread. Any thread.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public func measure<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard id != 0 else { return try body() }
    let began = Clock.monotonic()
    let previous = perf_mark_signpost_enter(id)
    defer { perf_mark_signpost_exit(id, previous, began, Clock.monotonic()) }
    return try body()
  }

  /// Runs an asynchronous `body` as a span of the timeline.
  ///
  /// Samples do not carry the signpost, because an asynchronous body moves between threads.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public func measure<Result, Failure: Error>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard isRecorded else { return try await body() }
    let began = Clock.monotonic()
    defer { record(from: began, to: Clock.monotonic()) }
    return try await body()
  }

  /// Whether the agent is loaded and records the signpost.
  package var isRecorded: Bool { id != 0 }

  /// Records a span that the calling thread need not have begun; samples do not carry the signpost.
  ///
  /// - Parameters:
  ///   - began: Nanoseconds of CLOCK_MONOTONIC.
  ///   - ended: Nanoseconds of CLOCK_MONOTONIC.
  package func record(from began: UInt64, to ended: UInt64) {
    guard isRecorded else { return }
    // A span that begins and ends at once leaves the thread's innermost signpost as it is.
    perf_mark_signpost_exit(id, perf_mark_signpost_enter(id), began, ended)
  }

  /// Marks the current moment on the timeline.
  ///
  /// Any thread.
  ///
  /// - Parameter value: A number that the marked event carries.
  public func emit(_ value: Double = 0) {
    guard id != 0 else { return }
    perf_mark_event(id, value, Clock.monotonic())
  }
}
