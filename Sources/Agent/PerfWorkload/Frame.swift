/// One frame of an animation, while the workload draws it.
public struct Frame: Sendable {
  /// The number of the frame in the process, from 0.
  public let index: Int
  /// The time of the frame's slot since the start of the animation, in nanoseconds.
  public let nanoseconds: UInt64

  /// The time of the frame's slot since the start of the animation.
  public var time: Duration { .nanoseconds(Int64(nanoseconds)) }

  /// The time of the frame's slot since the start of the animation, in seconds.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// Runs a part of the frame's work as a phase.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public func phase<Result, Failure: Error>(
    _ phase: Phase, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try phase.measure(body)
  }
}
