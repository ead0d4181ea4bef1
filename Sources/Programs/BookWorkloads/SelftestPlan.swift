internal import PerfWorkload

/// The distribution of the steps of a selftest over its frames.
struct SelftestPlan {
  let frames: Int
  /// The steps of all frames, without delays.
  private let steps: Double
  /// The additional steps of a delayed frame.
  private let delay: Int
  /// The fraction of delayed frames.
  private let delayed: Double

  init(_ parameters: ParameterValues) {
    frames = parameters[SelftestWork.frames]
    let speed = Double(parameters[SelftestWork.speed])
    steps =
      parameters[SelftestWork.milliseconds] * speed
      * (1 + parameters[SelftestWork.cpuPercent] / 100)
    delay = Int(parameters[SelftestWork.frameDelay] * speed)
    delayed = parameters[SelftestWork.delayedFrames] / 100
  }

  /// Returns the steps of a frame, counted from 0; delayed frames are spread evenly.
  func steps(ofFrame index: Int) -> Int {
    let own =
      Self.place(index + 1, steps / Double(frames)) - Self.place(index, steps / Double(frames))
    let isDelayed = Self.place(index + 1, delayed) > Self.place(index, delayed)
    return own + (isDelayed ? delay : 0)
  }

  /// A small addition compensates rounding errors: 3 % of 100 must be three frames.
  private static func place(_ count: Int, _ each: Double) -> Int {
    Int(Double(count) * each + 1e-6)
  }
}
