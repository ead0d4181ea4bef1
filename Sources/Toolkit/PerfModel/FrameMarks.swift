/// The raw marks of one animated interval, as written by the worker.
public struct FrameMarks: Hashable, Sendable {
  /// The marks of one frame.
  public struct Frame: Hashable, Sendable {
    /// The number of the frame in its process, from 0.
    public let index: Int
    /// The wake-up of the loop for the frame, in nanoseconds of CLOCK_MONOTONIC.
    public let woken: UInt64
    /// The start of the frame's work.
    public let began: UInt64
    /// The end of the frame's work.
    public let ended: UInt64
    /// Thread CPU time of the frame's work in nanoseconds.
    public let cpu: UInt64

    /// Creates the marks of a frame.
    ///
    /// - Precondition: `ended >= began`.
    public init(index: Int, woken: UInt64, began: UInt64, ended: UInt64, cpu: UInt64) {
      precondition(ended >= began, "a frame ends after it has begun")
      self.index = index
      self.woken = woken
      self.began = began
      self.ended = ended
      self.cpu = cpu
    }
  }

  /// The interval's name, such as `fling.down`.
  public let name: String
  /// The refreshes of the interval.
  public let grid: FrameGrid
  /// Whether the loop waited for each refresh.
  public let isPaced: Bool
  /// The frames in order.
  public let frames: [Frame]

  /// Creates the marks of an interval.
  public init(name: String, grid: FrameGrid, isPaced: Bool, frames: [Frame]) {
    self.name = name
    self.grid = grid
    self.isPaced = isPaced
    self.frames = frames
  }
}

/// The result of one frame.
public struct FrameRecord: Hashable, Sendable, Codable {
  /// The number of the frame in its process, from 0.
  public let index: Int
  /// The number of its animated interval, from 0.
  public let interval: Int
  /// The ideal slot s_i, in nanoseconds of CLOCK_MONOTONIC.
  public let slot: UInt64
  /// The real start of the frame's work.
  public let began: UInt64
  /// Wall time of the frame's work, in nanoseconds.
  public let cost: UInt64
  /// Thread CPU time of the frame's work, in nanoseconds.
  public let cpu: UInt64
  /// Ready time minus deadline in nanoseconds; positive is late.
  public let overrun: Int64
  /// Hitch time in nanoseconds, a whole number of refreshes.
  public let hitch: UInt64
  /// The refreshes without a new frame because of this frame.
  public let missed: Int

  /// Creates a record.
  public init(
    index: Int, interval: Int, slot: UInt64, began: UInt64, cost: UInt64, cpu: UInt64,
    overrun: Int64, hitch: UInt64, missed: Int
  ) {
    self.index = index
    self.interval = interval
    self.slot = slot
    self.began = began
    self.cost = cost
    self.cpu = cpu
    self.overrun = overrun
    self.hitch = hitch
    self.missed = missed
  }
}
