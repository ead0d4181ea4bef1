/// The size of a capture segment and the settings of the agent.
public struct CaptureConfiguration: Hashable, Sendable {
  /// Bytes of the segment that have memory from the start; the remainder after the last ring stays
  /// unused.
  public var segmentBytes: Int
  /// Additional rings for programs with many threads, which take memory when they are written.
  public var spareRings = 0
  /// Bytes for the names of phases, counters and events.
  public var namesBytes: Int
  /// Bytes for a thread's samples that wait for the drain; a power of two.
  public var sampleCapacity: Int
  /// Bytes for a thread's marks that wait for the drain; a power of two.
  public var markCapacity: Int
  /// The largest number of stack bytes that a sample copies; a multiple of 8, at most 65,536.
  public var stackBytes: Int
  /// Nanoseconds between ticks; 0 records marks only.
  public var interval: UInt64
  /// The seed of the ticks' random offsets in their intervals.
  public var seed: UInt64
  /// The sampling signal; see `SamplingSignal`.
  public var signal: Int32
  /// The mean number of bytes between two sampled allocations.
  ///
  /// 0 counts allocations without samples, nil does neither. Requires the agent's library for the
  /// heap.
  public var allocationInterval: UInt64?
  /// Whether the handler returns at once, to measure the cost of the signals alone.
  public var hasEmptyHandler: Bool
  /// Whether spans tell that their thread did not begin them, which takes a clock reading for each.
  public var timesSpans = false

  /// 512 KiB: a program that allocates 1 GB per second writes 2,000 samples per second.
  public static let defaultAllocationInterval: UInt64 = 512 << 10

  /// Returns the mean number of bytes between two sampled allocations of launches like a given one.
  ///
  /// Programs that allocate little get more samples than by the default, so that small changes are found:
  /// up to 2,000 per second of CPU time, the number that a program of 1 GB per second gets by the default,
  /// and up to 10,000 per launch.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that the launch allocated while it was measured.
  ///   - cpu: The CPU time of that phase in nanoseconds.
  /// - Returns: At most the default; at least 4 KiB, in case the next launch allocates far more.
  public static func allocationInterval(forLaunchOf bytes: Double, cpu: Double) -> UInt64 {
    let samples = min(2000 * cpu / 1e9, 10_000)
    guard bytes > 0, samples >= 1 else { return defaultAllocationInterval }
    let interval = min(max(bytes / samples, 4096), Double(defaultAllocationInterval))
    return UInt64(interval)
  }

  /// SIGPROF, which has this number on all Linux architectures that Swift supports.
  public static let defaultSignal: Int32 = 27

  /// Creates a configuration; the defaults sample at 1 kHz.
  public init(
    segmentBytes: Int = 32 << 20, namesBytes: Int = 256 << 10, sampleCapacity: Int = 512 << 10,
    markCapacity: Int = 64 << 10, stackBytes: Int = defaultStackBytes, interval: UInt64 = 1_000_000,
    seed: UInt64 = 1, signal: Int32 = defaultSignal, allocationInterval: UInt64? = nil,
    hasEmptyHandler: Bool = false
  ) {
    self.segmentBytes = segmentBytes
    self.namesBytes = namesBytes
    self.sampleCapacity = sampleCapacity
    self.markCapacity = markCapacity
    self.stackBytes = stackBytes
    self.interval = interval
    self.seed = seed
    self.signal = signal
    self.allocationInterval = allocationInterval
    self.hasEmptyHandler = hasEmptyHandler
  }

  /// The default for the largest number of stack bytes that a sample copies.
  public static let defaultStackBytes = 16 << 10

  /// Spare rings for about 500 threads at once in total, or 470 with `coldStart`.
  ///
  /// A spare ring takes its memory page by page when it is written, at 1 us or more per page.
  public static let usualSpareRings = 448

  /// Changes the copied stack length and enlarges rings and segment in proportion.
  public mutating func copyStacks(upTo bytes: Int) {
    let factor = max(1, bytes / Self.defaultStackBytes)
    stackBytes = bytes
    sampleCapacity *= factor
    segmentBytes *= factor
  }

  /// Returns the small configuration for launches that are measured from their first instruction.
  ///
  /// There each page of the segment that the worker maps costs time.
  public static func coldStart(interval: UInt64 = 1_000_000, seed: UInt64 = 1) -> Self {
    Self(
      segmentBytes: 8 << 20, namesBytes: 64 << 10, sampleCapacity: 256 << 10,
      markCapacity: 32 << 10, interval: interval, seed: seed)
  }
}
