/// The raw marks of one animated interval, as the worker wrote them.
public struct FrameMarks: Hashable, Sendable {
  /// The marks of one frame.
  public struct Frame: Hashable, Sendable {
    /// Its number in the process, from 0.
    public let index: Int
    /// When the loop really woke for it, in CLOCK_MONOTONIC nanoseconds.
    public let woken: UInt64
    /// When its work began.
    public let began: UInt64
    /// When its work ended.
    public let ended: UInt64
    /// Thread CPU time of its work in nanoseconds.
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

  /// The interval's name, as `fling.down`.
  public let name: String
  /// Its refreshes.
  public let grid: FrameGrid
  /// Whether the loop waited for each refresh.
  public let isPaced: Bool
  /// Its frames in order.
  public let frames: [Frame]

  /// Creates the marks of an interval.
  public init(name: String, grid: FrameGrid, isPaced: Bool, frames: [Frame]) {
    self.name = name
    self.grid = grid
    self.isPaced = isPaced
    self.frames = frames
  }
}

/// What became of one frame.
public struct FrameRecord: Hashable, Sendable, Codable {
  /// Its number in the process, from 0.
  public let index: Int
  /// The number of its animated interval, from 0.
  public let interval: Int
  /// The time of its ideal slot s_i, in CLOCK_MONOTONIC nanoseconds.
  public let slot: UInt64
  /// When its work really began.
  public let began: UInt64
  /// Wall time of its work, in nanoseconds.
  public let cost: UInt64
  /// Thread CPU time of its work, in nanoseconds.
  public let cpu: UInt64
  /// Ready time minus deadline in nanoseconds; positive is late.
  public let overrun: Int64
  /// Hitch time in nanoseconds, whole refreshes.
  public let hitch: UInt64
  /// Refreshes that went by without a new frame because of it.
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
