internal import Glibc

/// The times of all CPUs since boot, from proc_stat(5).
struct CPUTimes: Equatable {
  /// Ticks that the host gave to other machines.
  let stolen: Double
  /// Busy ticks, including stolen ticks.
  let busy: Double
  let all: Double
  /// The number of CPUs; 0 if unknown.
  let processors: Int

  static let rate = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))

  /// Parses the text of /proc/stat; nil if it has no steal time.
  init?(_ text: String? = SystemCalls.read("/proc/stat")) {
    let lines = text?.split(separator: "\n") ?? []
    guard let line = lines.first, line.hasPrefix("cpu ") else { return nil }
    // user nice system idle iowait irq softirq steal; guests are counted in user already.
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    guard ticks.count == 8 else { return nil }
    stolen = ticks[7]
    all = ticks.reduce(0, +)
    busy = all - ticks[3] - ticks[4]
    processors = lines.dropFirst().prefix { $0.hasPrefix("cpu") }.count
  }

  /// Returns the stolen share since an earlier reading, from 0 to 1; nil if no time passed.
  func stolenShare(since before: CPUTimes) -> Double? {
    guard all > before.all, stolen >= before.stolen else { return nil }
    return min(1, (stolen - before.stolen) / (all - before.all))
  }
}
