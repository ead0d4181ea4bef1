/// The size of a capture segment, and what the agent is asked to do.
public struct CaptureConfiguration: Hashable, Sendable {
  /// Bytes of the segment that have memory from the start; a part of a ring that is left over stays
  /// unused.
  public var segmentBytes: Int
  /// Rings beyond those, for programs of many threads: they take memory when they are written.
  public var spareRings = 0
  /// Bytes for names of phases, counters and the like.
  public var namesBytes: Int
  /// Bytes of samples that a thread can have waiting; a power of two.
  public var sampleCapacity: Int
  /// Bytes of marks that a thread can have waiting; a power of two.
  public var markCapacity: Int
  /// Most bytes of stack that a sample copies; a multiple of 8, at most 65,536.
  public var stackBytes: Int
  /// Nanoseconds from tick to tick; 0 records marks only.
  public var interval: UInt64
  /// The seed of the ticks' random places in their intervals.
  public var seed: UInt64
  /// The signal that samples: see `SamplingSignal`.
  public var signal: Int32
  /// Mean bytes from one sampled allocation to the next.
  ///
  /// 0 counts allocations without samples, nil does neither. It takes the agent's library for the
  /// heap.
  public var allocationInterval: UInt64?
  /// Whether the handler returns at once, to measure what the signals alone cost.
  public var hasEmptyHandler: Bool

  /// 512 KiB: a program that allocates 1 GB a second writes 2,000 samples a second.
  public static let defaultAllocationInterval: UInt64 = 512 << 10

  /// SIGPROF, whose number all Linux architectures that Swift runs on share.
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

  /// Most bytes of a stack that a sample copies unless somebody asks for others.
  public static let defaultStackBytes = 16 << 10

  /// With the rings that have memory there is room for about 500 threads at once, or 470 where the
  /// start is measured.
  ///
  /// Each that samples are written into takes its memory page by page then, at
  /// 1 us and more a page.
  public static let usualSpareRings = 448

  /// Has samples copy other lengths of stack; longer ones take as much larger rings and segments.
  public mutating func copyStacks(upTo bytes: Int) {
    let factor = max(1, bytes / Self.defaultStackBytes)
    stackBytes = bytes
    sampleCapacity *= factor
    segmentBytes *= factor
  }

  /// Returns the small configuration for launches that are measured from their first instruction:
  /// each page of the segment that the worker maps costs time there.
  public static func coldStart(interval: UInt64 = 1_000_000, seed: UInt64 = 1) -> Self {
    Self(
      segmentBytes: 8 << 20, namesBytes: 64 << 10, sampleCapacity: 256 << 10,
      markCapacity: 32 << 10, interval: interval, seed: seed)
  }
}
