public import PerfModel

/// What one launch of a measured process left behind: marks, samples not yet unwound, and counts.
public struct Capture: Sendable {
  /// A thread of the process.
  public struct Thread: Hashable, Sendable {
    /// Its number in the process, from 1, never reused.
    public let serial: Int
    /// Its kernel id.
    public let id: Int32
    /// Its name when it was last seen.
    public var name: String
    /// When it began, or sampling did, in CLOCK_MONOTONIC nanoseconds.
    public var started: UInt64
    /// Its CPU clock then, in nanoseconds.
    public var startCPU: UInt64
    /// When it ended, or sampling did; nil when the process died first.
    public var ended: UInt64?
    /// Its CPU clock then.
    public var endCPU: UInt64?
    /// CPU time of earlier stretches of sampling, in nanoseconds.
    var earlierCPU: UInt64 = 0
  }

  /// A phase or a signpost of a thread.
  public struct Span: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// The serial of its thread; 0 when that is unknown.
    public let thread: Int
    /// The number of the frame that it began in, or nil.
    public let frame: Int?
    /// Its begin in CLOCK_MONOTONIC nanoseconds.
    public let began: UInt64
    /// Its end.
    public let ended: UInt64
  }

  /// A counter's value, or an event.
  public struct Value: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// The serial of its thread; 0 when that is unknown.
    public let thread: Int
    /// When, in CLOCK_MONOTONIC nanoseconds.
    public let time: UInt64
    /// The counter's absolute value, or whatever the event carries; always finite.
    public let value: Double
  }

  /// The threads by serial, ascending.
  public internal(set) var threads: [Thread] = []
  /// The animated intervals with their frames, in order.
  public internal(set) var intervals: [FrameMarks] = []
  /// The phases by end.
  public internal(set) var phases: [Span] = []
  /// The signposts by end.
  public internal(set) var signposts: [Span] = []
  /// The counters' values by time.
  public internal(set) var counters: [Value] = []
  /// The events by time.
  public internal(set) var events: [Value] = []
  /// What the agent counted.
  public internal(set) var audit = AgentAudit()
  /// The version of the agent that had attached, 0 for none.
  public internal(set) var agentVersion: UInt32 = 0
  /// The process that the agent had attached in, 0 for none.
  public internal(set) var process: Int32 = 0
  /// Records that made no sense and were passed over.
  public internal(set) var garbage = 0
  /// Samples that rings or the harness had no room for.
  public internal(set) var samplesDropped = 0
  /// Marks that rings or the harness had no room for.
  public internal(set) var marksDropped = 0
  /// Most of a ring of samples that was ever filled, from 0 to 1.
  public internal(set) var ringHighWater = 0.0
  /// What a reader must know.
  public internal(set) var warnings: [RunWarning] = []

  /// What the process asked of the heap since the agent attached; nil when that was not counted.
  public internal(set) var allocations: AllocationTotals?
  /// Mean bytes from one sampled allocation to the next; 0 for none.
  public internal(set) var allocationInterval: UInt64 = 0

  /// Samples that were taken and kept, allocations among them.
  public var sampleCount: Int { spool?.count ?? 0 }

  /// The time from tick to tick, in nanoseconds.
  public internal(set) var interval: UInt64 = 0

  var spool: SampleSpool?
  var allocationEnds = AllocationEnds()
  var moduleLists: [ModuleList] = []
  var names = CaptureNames()
  var stackBytes = 0
  var ringCount = 0
  /// What it was sampled with.
  var signal = CaptureConfiguration.defaultSignal
}
