internal import PerfWorkload

/// How the steps of a selftest are dealt out among its frames.
struct SelftestPlan {
  /// How many frames there are.
  let frames: Int
  /// Steps of all frames without those of delays.
  private let steps: Double
  /// Steps that are added to each frame that is delayed.
  private let delay: Int
  /// The part of the frames that is delayed: a fraction of one.
  private let delayed: Double

  init(_ parameters: ParameterValues) throws {
    frames = try parameters.int("frames")
    let speed = Double(try parameters.int("speed"))
    steps =
      try parameters.double("milliseconds") * speed * (1 + parameters.double("cpu_percent") / 100)
    delay = Int(try parameters.double("frame_delay") * speed)
    delayed = try parameters.double("delayed_frames") / 100
  }

  /// Returns the steps of a frame, from 0; delayed frames are spread evenly.
  func steps(ofFrame index: Int) -> Int {
    let own =
      Self.place(index + 1, steps / Double(frames)) - Self.place(index, steps / Double(frames))
    let isDelayed = Self.place(index + 1, delayed) > Self.place(index, delayed)
    return own + (isDelayed ? delay : 0)
  }

  /// Rounded up a little first: 100 times 3 % must be three frames.
  private static func place(_ count: Int, _ each: Double) -> Int {
    Int(Double(count) * each + 1e-6)
  }
}
