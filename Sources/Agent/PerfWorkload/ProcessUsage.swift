internal import CPerfFormat
internal import Glibc

/// The process's own clocks, in nanoseconds.
struct ProcessUsage: Equatable, Encodable {
  /// CLOCK_MONOTONIC.
  let wall: UInt64
  /// CPU time of the process.
  let cpu: UInt64
  /// The kernel's coarser count of the share in user mode.
  let user: UInt64
  /// The same of the share in the kernel.
  let system: UInt64
  /// Calls that gave memory since the agent attached; nil when they are not counted.
  let allocations: UInt64?
  /// What they asked for, in bytes.
  let allocated: UInt64?

  /// Reads the clocks.
  static func now() -> ProcessUsage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    var allocations: UInt64 = 0
    var allocated: UInt64 = 0
    let counts = perf_mark_allocations(&allocations, &allocated) != 0
    return ProcessUsage(
      wall: Clock.monotonic(), cpu: Clock.read(CLOCK_PROCESS_CPUTIME_ID),
      user: nanoseconds(usage.ru_utime), system: nanoseconds(usage.ru_stime),
      allocations: counts ? allocations : nil, allocated: counts ? allocated : nil)
  }

  private static func nanoseconds(_ time: timeval) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000
  }
}
