/// One frame of an animated interval, while it is made.
public struct Frame: Sendable {
  /// Its number in the process, from 0.
  public let index: Int
  /// The time of its slot in the animation, in nanoseconds.
  public let nanoseconds: UInt64

  /// The time of its slot in the animation.
  public var time: Duration { .nanoseconds(Int64(nanoseconds)) }

  /// The time of its slot in the animation, in seconds.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// Runs a part of the frame's work as a phase; the samples that fall into it are told so.
  ///
  /// - Throws: What `body` throws.
  public func phase<Result, Failure: Error>(
    _ phase: Phase, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try phase.measure(body)
  }
}
