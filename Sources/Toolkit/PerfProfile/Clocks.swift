internal import Glibc

/// Returns the seconds since 1970 of a time of CLOCK_MONOTONIC in nanoseconds.
func realSeconds(at monotonic: UInt64) -> Double {
  var real = timespec()
  clock_gettime(CLOCK_REALTIME, &real)
  let ago = (Double(monotonicNanoseconds()) - Double(monotonic)) / 1e9
  return real.seconds - ago
}

/// Returns the seconds since 1970 of a time in seconds since the start of the system (CLOCK_BOOTTIME).
func realSeconds(atBootTime seconds: Double) -> Double {
  var (real, boot) = (timespec(), timespec())
  clock_gettime(CLOCK_REALTIME, &real)
  clock_gettime(CLOCK_BOOTTIME, &boot)
  return real.seconds - (boot.seconds - seconds)
}

/// The resolution of the times of files, in seconds: they are those of the kernel's last tick.
let fileTimeResolution = 0.01

extension timespec {
  /// The seconds since 1970.
  var seconds: Double { Double(tv_sec) + Double(tv_nsec) / 1e9 }
}

/// Returns CLOCK_MONOTONIC in nanoseconds, the clock of all records.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
