internal import CLinux
internal import CPerfFormat
internal import Glibc

/// The shared memory into which a measured process writes its samples and marks.
///
/// It is created once and reused for every launch, because fresh pages would cost each launch time.
/// Its size is sealed, so the program cannot shrink it while this process reads it.
///
/// Safety of `@unchecked Sendable`: the mapping and the layout never change; switches and counters
/// in it are atomic. One `SegmentDrain` at a time reads the rings; `allocationInterval` is set and `reset`
/// is called between two processes, when no other code uses the segment.
public final class CaptureSegment: @unchecked Sendable {
  /// The descriptor for the process, which gets it by dup2 under the number in
  /// `descriptorVariable`.
  public let descriptor: Int32
  /// The configuration of the segment.
  public let configuration: CaptureConfiguration
  /// The mean number of bytes between two sampled allocations of the processes after the next `reset`.
  ///
  /// At first it is the configuration's.
  public var allocationInterval: UInt64?
  let layout: CaptureLayout
  private let base: UnsafeMutableRawPointer

  /// The environment variable with the number of the descriptor.
  public static let descriptorVariable = PERFKIT_ENV_SEGMENT_FD

  /// Creates a segment, allocates its memory and fills in its header.
  ///
  /// - Throws: `configuration` for impossible sizes, `segment` if the system refuses.
  public init(_ configuration: CaptureConfiguration) throws(PerfProfileError) {
    layout = try CaptureLayout(configuration)
    self.configuration = configuration
    allocationInterval = configuration.allocationInterval
    descriptor = clinux_memory_file("perfkit-capture")
    guard descriptor >= 0 else { throw .segment(step: "memfd_create", errno: -descriptor) }
    guard ftruncate(descriptor, layout.totalBytes) == 0,
      posix_fallocate(descriptor, 0, layout.filledBytes) == 0
    else {
      close(descriptor)
      throw .segment(step: "taking \(layout.filledBytes) bytes", errno: ENOMEM)
    }
    let access = PROT_READ | PROT_WRITE
    let mapped = mmap(nil, layout.totalBytes, access, MAP_SHARED, descriptor, 0)
    guard let mapped, mapped != MAP_FAILED else {
      let code = errno
      close(descriptor)
      throw .segment(step: "mmap", errno: code)
    }
    // Populate only the filled part: MAP_POPULATE on the whole mapping would also allocate the
    // spare rings.
    guard
      mmap(
        mapped, layout.filledBytes, access, MAP_SHARED | MAP_FIXED | MAP_POPULATE, descriptor, 0)
        == mapped
    else {
      let code = errno
      munmap(mapped, layout.totalBytes)
      close(descriptor)
      throw .segment(step: "mmap", errno: code)
    }
    let sealing = clinux_seal_size(descriptor)
    guard sealing == 0 else {
      munmap(mapped, layout.totalBytes)
      close(descriptor)
      throw .segment(step: "sealing its size", errno: -sealing)
    }
    // Assign this last, because the deinitializer cleans up from here on.
    base = mapped
    reset()
  }

  deinit {
    munmap(base, layout.totalBytes)
    close(descriptor)
  }

  /// Bytes of the segment that have memory from the start and count in the measured process's
  /// memory.
  ///
  /// Memory of spare rings comes on top.
  public var bytes: Int { layout.filledBytes }

  /// Resets the segment for the next process.
  ///
  /// The previous process must have ended and its rings must be drained.
  ///
  /// - Parameter seed: The seed of the next process's ticks; nil keeps the configuration's.
  public func reset(seed: UInt64? = nil) {
    memset(base, 0, layout.ringsOffset)
    for index in 0..<layout.ringCount {
      memset(base + layout.offset(ofRing: index), 0, MemoryLayout<perfkit_ring>.size)
    }
    header.pointee.magic = perfkit_format_magic
    header.pointee.version = PERFKIT_FORMAT_VERSION
    header.pointee.header_bytes = UInt32(layout.headerBytes)
    header.pointee.segment_bytes = UInt64(layout.totalBytes)
    header.pointee.filled_bytes = UInt64(layout.filledBytes)
    header.pointee.names_offset = UInt64(layout.namesOffset)
    header.pointee.names_bytes = UInt64(layout.namesBytes)
    header.pointee.rings_offset = UInt64(layout.ringsOffset)
    header.pointee.ring_bytes = UInt64(layout.ringBytes)
    header.pointee.ring_count = UInt32(layout.ringCount)
    header.pointee.sample_capacity = UInt32(layout.sampleCapacity)
    header.pointee.mark_capacity = UInt32(layout.markCapacity)
    header.pointee.stack_bytes = UInt32(configuration.stackBytes)
    header.pointee.interval_ns = configuration.interval
    header.pointee.seed = seed ?? configuration.seed
    header.pointee.signal = configuration.signal
    header.pointee.allocations_offset = UInt64(layout.allocationsOffset)
    header.pointee.allocation_interval = allocationInterval ?? 0
    header.pointee.flags =
      (configuration.hasEmptyHandler ? PERFKIT_FLAG_EMPTY_HANDLER.rawValue : 0)
      | (configuration.timesSpans ? PERFKIT_FLAG_TIMES_SPANS.rawValue : 0)
  }

  /// Switches the ticker on or off and wakes it.
  ///
  /// Marks are recorded either way. Any thread.
  public func setSampling(_ on: Bool) {
    perfkit_segment_set_sampling(header, on ? 1 : 0)
  }

  /// The version of the attached agent; 0 before it attaches.
  public var agentVersion: UInt32 { perfkit_segment_agent_version(header) }

  /// The process in which the agent attached; 0 before it attaches.
  public var agentProcess: Int32 { Int32(bitPattern: perfkit_segment_agent_pid(header)) }

  /// The agent's counters so far.
  var audit: AgentAudit { perfkit_segment_audit(header) }

  /// The CPU time of the ticker so far in nanoseconds; 0 until it has begun to sample.
  public var tickerCPU: UInt64 { audit.ticker_cpu_ns }

  /// Whether the ticker could not be started.
  public var hasNoTicker: Bool { audit.ticker_failed != 0 }

  /// The process's heap allocations so far; nil if they are not counted.
  public var allocations: AllocationTotals? {
    guard layout.allocationsOffset > 0 else { return nil }
    let slots = (base + layout.allocationsOffset).assumingMemoryBound(to: perfkit_allocations.self)
    var totals = AllocationTotals()
    for index in 0..<Int(PERFKIT_ALLOCATION_SLOTS) {
      totals.add(perfkit_allocations_read(slots + index))
    }
    return totals
  }

  // MARK: - For the drain

  private var header: UnsafeMutablePointer<perfkit_segment> {
    base.assumingMemoryBound(to: perfkit_segment.self)
  }

  func ring(_ index: Int) -> UnsafeMutablePointer<perfkit_ring> {
    (base + layout.offset(ofRing: index)).assumingMemoryBound(to: perfkit_ring.self)
  }

  func samples(ofRing index: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(base + layout.offset(ofSamples: index))
  }

  func marks(ofRing index: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(base + layout.offset(ofMarks: index))
  }

  var names: UnsafeRawBufferPointer {
    let used = min(Int(perfkit_segment_names_used(header)), layout.namesBytes)
    return UnsafeRawBufferPointer(start: base + layout.namesOffset, count: used)
  }
}
