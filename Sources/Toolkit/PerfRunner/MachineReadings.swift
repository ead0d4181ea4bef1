internal import Glibc

/// Readings of the whole machine from /proc at one moment; unreadable values are nil.
///
/// They are taken before and after a measured phase, because other programs and the host disturb
/// it.
struct MachineReadings: Sendable {
  /// CLOCK_MONOTONIC at the reading of the stall times.
  var stallsRead: UInt64?
  /// Stall times in nanoseconds.
  var stalledForCPU: UInt64?
  var stalledForMemory: UInt64?
  /// CPU time that the host gave to other machines, in nanoseconds with the resolution of a tick.
  var stolen: UInt64?
  /// CPU time of all programs in nanoseconds by the same ticks.
  var busy: UInt64?
  /// CPU time of this process in nanoseconds.
  var own: UInt64?
  /// Elapsed time in nanoseconds by the same ticks, the mean of the CPUs.
  ///
  /// As ticks are coarse, `stolen` and `busy` can only be compared with this time.
  var ticked: UInt64?

  static func now() -> MachineReadings {
    var readings = MachineReadings()
    readings.stalledForCPU = stall("cpu")
    readings.stalledForMemory = stall("memory")
    if readings.stalledForCPU ?? readings.stalledForMemory != nil {
      readings.stallsRead = SystemCalls.now()
    }
    if let times = CPUTimes() {
      readings.stolen = UInt64(times.stolen / CPUTimes.rate * 1e9)
      readings.busy = UInt64((times.busy - times.stolen) / CPUTimes.rate * 1e9)
      readings.own = SystemCalls.cpuTime(of: getpid())
      if times.processors > 0 {
        readings.ticked = UInt64(times.all / Double(times.processors) / CPUTimes.rate * 1e9)
      }
    }
    return readings
  }

  /// Returns the total of `some` in a pressure file, in nanoseconds.
  private static func stall(_ resource: String) -> UInt64? {
    guard let text = SystemCalls.read("/proc/pressure/\(resource)"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("some") }),
      let total = line.split(separator: " ").first(where: { $0.hasPrefix("total=") })
    else { return nil }
    return UInt64(total.dropFirst(6)).map { $0 * 1000 }
  }
}
