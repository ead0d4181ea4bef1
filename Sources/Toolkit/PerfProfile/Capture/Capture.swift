internal import CPerfFormat
public import PerfModel

/// The data that one process of a launch left: marks, samples before unwinding, and counts.
public struct Capture: Sendable {
  /// A thread of the process.
  public struct Thread: Hashable, Sendable {
    /// The thread's number in the process, from 1, never reused.
    public let serial: Int
    /// The thread's kernel id.
    public let id: Int32
    /// The last known name.
    public var name: String
    /// When the thread or sampling began, in CLOCK_MONOTONIC nanoseconds.
    public var started: UInt64
    /// The thread's CPU clock at `started`, in nanoseconds.
    public var startCPU: UInt64
    /// When the thread or sampling ended; nil if the process died first.
    public var ended: UInt64?
    /// The thread's CPU clock at `ended`.
    public var endCPU: UInt64?
    /// CPU time of earlier periods of sampling, in nanoseconds.
    var earlierCPU: UInt64 = 0
  }

  /// A phase or a signpost of a thread.
  public struct Span: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The serial of the thread; 0 if unknown.
    public let thread: Int
    /// The number of the frame in which it began; nil outside of frames.
    public let frame: Int?
    /// The start in CLOCK_MONOTONIC nanoseconds.
    public let began: UInt64
    /// The end in CLOCK_MONOTONIC nanoseconds.
    public let ended: UInt64
    /// Whether the thread was elsewhere between both times, as after the wait of an async function.
    var isDetached = false
  }

  /// A counter's value or an event.
  public struct Value: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The serial of the thread; 0 if unknown.
    public let thread: Int
    /// The time in CLOCK_MONOTONIC nanoseconds.
    public let time: UInt64
    /// The counter's absolute value or the event's value; always finite.
    public let value: Double
  }

  /// The threads by serial, ascending.
  public internal(set) var threads: [Thread] = []
  /// The animated intervals with their frames, in order.
  public internal(set) var intervals: [FrameMarks] = []
  /// The phases in the order of their ends.
  public internal(set) var phases: [Span] = []
  /// The signposts in the order of their ends.
  public internal(set) var signposts: [Span] = []
  /// The counters' values in the order of time.
  public internal(set) var counters: [Value] = []
  /// The events in the order of time.
  public internal(set) var events: [Value] = []
  /// The version of the attached agent; 0 if none attached.
  public internal(set) var agentVersion: UInt32 = 0
  /// The process in which the agent attached; 0 if none attached.
  public internal(set) var process: Int32 = 0
  /// Invalid records that were skipped.
  public internal(set) var garbage = 0
  /// Samples that were dropped by rings or the harness for lack of room.
  public internal(set) var samplesDropped = 0
  /// Marks that were dropped by rings or the harness for lack of room.
  public internal(set) var marksDropped = 0
  /// The largest fill level of a sample ring, from 0 to 1.
  public internal(set) var ringHighWater = 0.0
  /// Problems that a reader of the profile must know.
  public internal(set) var warnings: [RunWarning] = []

  /// The process's heap allocations since the agent attached; nil if they were not counted.
  public internal(set) var allocations: AllocationTotals?
  /// The mean number of bytes between two sampled allocations; 0 without sampling.
  public internal(set) var allocationInterval: UInt64 = 0

  /// The waits of the process's Swift tasks; nil if they were not recorded.
  public var tasks: TaskWaits?

  /// The number of kept samples, including allocations.
  public var sampleCount: Int { spool?.count ?? 0 }

  /// The numbers of kept records of allocations and of those that the harness lost.
  var allocationRecords: (kept: Int, lost: Int) { spool?.allocations ?? (0, 0) }

  /// The interval between ticks in nanoseconds.
  public internal(set) var interval: UInt64 = 0

  /// CPU time of the sampler's thread in nanoseconds.
  public var tickerCPU: UInt64 { audit.ticker_cpu_ns }

  /// The agent's counters; all 0 if `isOverwritten`.
  var audit = AgentAudit()
  /// Whether the process overwrote the counters in the segment, which are left out.
  var isOverwritten = false
  /// The longest time in nanoseconds for which the process can have run.
  var longestLife = UInt64.max
  var spool: SampleSpool?
  var allocationEnds = AllocationEnds()
  var moduleLists: [ModuleList] = []
  /// The pauses that the kernel recorded, by the thread's serial and the time of the sample.
  var pauses: [UInt32: [UInt64: EventPauses.Pause]] = [:]
  /// The root of the process's files; nil for that of this process.
  var root: ProcessRoot?
  /// The code that the process generated.
  var generated = GeneratedCode()
  var names = CaptureNames()
  /// The kernel ids of the threads that made marks, by serial.
  var markers: [Int: Int32] = [:]
  var stackBytes = 0
  var ringCount = 0
  /// What took the samples.
  public internal(set) var engine = SamplingEngine.signal
  /// Whether time in the kernel is sampled or counts for system calls.
  var samplesKernel = true
  /// The signal that sampled the process.
  var signal = CaptureConfiguration.defaultSignal
}
