/// What /proc says of the whole machine at one moment; what cannot be read is nil.
///
/// It is read at both ends of what is measured, of a worker as of a command: other programs and the
/// host disturb both alike.
struct MachineReadings: Sendable {
  /// CLOCK_MONOTONIC when the stall times were read.
  var stallsRead: UInt64?
  /// Stall times in nanoseconds.
  var stalledForCPU: UInt64?
  var stalledForMemory: UInt64?
  /// CPU time in nanoseconds that the host gave to others, to a tick.
  var stolen: UInt64?
  /// Nanoseconds by the same ticks, the mean of the CPUs.
  ///
  /// Where few of them go by, `stolen` can be held against nothing else.
  var ticked: UInt64?

  /// Nothing is known.
  static let unknown = MachineReadings()

  private init() {}

  /// Returns what can be read now.
  static func now() -> MachineReadings {
    var readings = MachineReadings()
    readings.stalledForCPU = stall("cpu")
    readings.stalledForMemory = stall("memory")
    if readings.stalledForCPU ?? readings.stalledForMemory != nil {
      readings.stallsRead = SystemCalls.now()
    }
    if let times = CPUTimes() {
      readings.stolen = UInt64(times.stolen / CPUTimes.rate * 1e9)
      if times.processors > 0 {
        readings.ticked = UInt64(times.all / Double(times.processors) / CPUTimes.rate * 1e9)
      }
    }
    return readings
  }

  /// `some ... total=` of a pressure file, in nanoseconds.
  private static func stall(_ resource: String) -> UInt64? {
    guard let text = SystemCalls.read("/proc/pressure/\(resource)"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("some") }),
      let total = line.split(separator: " ").first(where: { $0.hasPrefix("total=") })
    else { return nil }
    return UInt64(total.dropFirst(6)).map { $0 * 1000 }
  }
}
