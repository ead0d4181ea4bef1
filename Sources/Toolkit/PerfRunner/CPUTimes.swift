internal import Glibc

/// What the time of all CPUs went to since boot, as proc_stat(5) counts it.
struct CPUTimes: Equatable {
  /// Ticks that the host gave to other machines.
  let stolen: Double
  /// Ticks in which CPUs did something, other machines' included.
  let busy: Double
  /// All ticks.
  let all: Double
  /// How many CPUs they are the ticks of; 0 where that is not told.
  let processors: Int

  /// Ticks a second.
  static let rate = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))

  /// Reads the text of /proc/stat; nil where it does not tell of steal.
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

  /// The stolen share of the time since then, from 0 to 1; nil when none went by.
  func stolenShare(since before: CPUTimes) -> Double? {
    guard all > before.all, stolen >= before.stolen else { return nil }
    return min(1, (stolen - before.stolen) / (all - before.all))
  }
}
