internal import Glibc

/// What /proc says of the whole machine at one moment; what cannot be read is nil.
///
/// It is read at both ends of what is measured, of a worker as of a command: other programs and the
/// host disturb both alike.
struct MachineReadings: Sendable {
  /// Stall times in nanoseconds.
  var stalledForCPU: UInt64?
  var stalledForMemory: UInt64?
  /// CPU time in nanoseconds that the host gave to others, to a tick.
  var stolen: UInt64?

  /// Nothing is known.
  static let unknown = MachineReadings()

  private init() {}

  /// Returns what can be read now.
  static func now() -> MachineReadings {
    var readings = MachineReadings()
    readings.stalledForCPU = stall("cpu")
    readings.stalledForMemory = stall("memory")
    readings.stolen = stolenTime()
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

  /// The eighth number of proc_stat(5)'s first line, in nanoseconds; nil on kernels without it.
  private static func stolenTime() -> UInt64? {
    guard let text = SystemCalls.read("/proc/stat"), let line = text.split(separator: "\n").first
    else { return nil }
    let numbers = line.split(separator: " ").dropFirst()
    guard numbers.count >= 8, let ticks = UInt64(numbers[numbers.startIndex + 7]) else {
      return nil
    }
    return ticks * (1_000_000_000 / UInt64(max(1, sysconf(Int32(_SC_CLK_TCK)))))
  }
}
