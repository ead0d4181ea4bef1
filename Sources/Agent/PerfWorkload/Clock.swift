internal import Glibc

/// The kernel's clocks in nanoseconds.
///
/// Reading them allocates nothing.
package enum Clock {
  /// Reads CLOCK_MONOTONIC, the time base of all marks.
  package static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// Reads the CPU time of the calling thread.
  static func threadCPU() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

  static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Sleeps until a moment of CLOCK_MONOTONIC; signals do not shorten the sleep.
  static func sleep(until moment: UInt64) {
    var time = timespec(
      tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
