internal import CLinux
internal import CPerfFormat
internal import PerfModel

/// The counters of a process in its capture segment, which the process may have overwritten.
struct SegmentCounters {
  /// The agent's counters.
  var audit = AgentAudit()
  /// The heap allocations; nil if they are not counted.
  var allocations: AllocationTotals?
  /// Samples and records of the heap that did not fit into the rings of the threads.
  var samplesDropped: UInt64 = 0
  /// Stacks of waiting threads that did not fit into the ticker's ring.
  var waitsDropped: UInt64 = 0
  /// Marks that did not fit into the rings.
  var marksDropped: UInt64 = 0

  /// The warning about counters that are left out.
  static let overwritten = RunWarning(
    code: "sampler.overwritten",
    message:
      "the program overwrote the sampler's counters in the shared memory, so they are left out",
    remedy: "Look for memory errors in the program, e.g. with -fsanitize=address.")

  /// Returns whether an agent can have counted this.
  ///
  /// - Parameters:
  ///   - began: A moment before the process began, in CLOCK_MONOTONIC nanoseconds.
  ///   - ended: A moment after it ended.
  ///   - interval: Nanoseconds between ticks; 0 without a ticker.
  /// - Returns: False if a counter exceeds what is possible in that time.
  func arePossible(from began: UInt64, to ended: UInt64, interval: UInt64) -> Bool {
    let bounds = Bounds(audit, time: ended > began ? ended - began : 0, interval: interval)
    // A thread may have died between two of its counters.
    let counted = (allocations?.count ?? 0).addingClamped(bounds.threadsAtOnce)
    let limits: [(UInt64, UInt64)] = [
      (audit.ticks.addingClamped(audit.ticks_missed), bounds.grid), (audit.ticks_late, audit.ticks),
      (audit.signals_sent, bounds.perTick), (audit.signals_failed, bounds.perTick),
      (audit.signals_blocked, bounds.perTick), (audit.states_unread, bounds.perTick),
      (audit.samples_written, bounds.perTick), (audit.samples_dropped, bounds.perTick),
      (samplesDropped, bounds.perTick.addingClamped(audit.allocations_dropped)),
      (waitsDropped, bounds.perTick), (marksDropped, bounds.events),
      (audit.threads_blocking, bounds.perTick.addingClamped(bounds.threads)),
      (audit.thread_slots_full, bounds.perTick.addingClamped(bounds.threads)),
      (audit.left, bounds.threads), (audit.ticker_cpu_ns, bounds.cpuTime),
      (audit.sampling_began_ns, ended), (audit.sampling_ended_ns, ended),
      (audit.foreign_handler, 1), (audit.stopped, SamplingStop.last),
      (audit.ticker_failed, Bounds.lastError),
      (audit.allocations_dropped, counted.multipliedClamped(by: 2)),
      (audit.allocations_untracked, counted), (allocations?.count ?? 0, bounds.events),
      (allocations?.bytes ?? 0, bounds.bytes(of: counted)),
    ]
    return limits.allSatisfy { $0 <= $1 }
      && (audit.sampling_began_ns == 0 || audit.sampling_began_ns >= began)
      && (audit.sampling_ended_ns == 0 || audit.sampling_ended_ns >= audit.sampling_began_ns)
  }

  /// The largest possible values of counters.
  private struct Bounds {
    /// The largest error number of Linux (EHWPOISON, errno(3)).
    static let lastError: UInt64 = 133

    let threadsAtOnce = UInt64(PERFKIT_ALLOCATION_SLOTS)
    /// Intervals of the grids of ticks.
    let grid: UInt64
    /// Events of each thread at each tick.
    let perTick: UInt64
    /// Calls of functions: one per nanosecond and CPU.
    let events: UInt64
    /// Threads that have begun, with one per microsecond and CPU.
    let threads: UInt64
    /// CPU time of one thread in nanoseconds; its clock may run a little faster.
    let cpuTime: UInt64

    init(_ audit: AgentAudit, time: UInt64, interval: UInt64) {
      let cpus = UInt64(max(1, clinux_configured_cpus()))
      // Each program that the process executes starts a new grid.
      grid = interval == 0 ? 0 : (time / interval).addingClamped(time / 1_000_000 + 1000)
      perTick = audit.ticks.addingClamped(1).multipliedClamped(by: threadsAtOnce)
      events = time.multipliedClamped(by: cpus)
      threads = (events / 1000).addingClamped(threadsAtOnce)
      cpuTime = time.addingClamped(time / 64)
    }

    /// Returns the most bytes of a number of allocations.
    ///
    /// The C library keeps blocks of at most 32 MiB (mallopt(3), M_MMAP_THRESHOLD). A larger one takes a
    /// system call of a microsecond, and its mean is below the machine's memory. A single one may be as
    /// large as the address space.
    func bytes(of count: UInt64) -> UInt64 {
      let memory = UInt64(max(0, sysconf(Int32(_SC_PHYS_PAGES))))
        .multipliedClamped(by: UInt64(CaptureLayout.pageBytes))
      return (UInt64(1) << 47).addingClamped(count.multipliedClamped(by: 32 << 20))
        .addingClamped(min(count, threads).multipliedClamped(by: memory))
    }
  }
}
