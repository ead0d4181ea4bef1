internal import Glibc

/// What the CPUs' time went to since boot, as proc_stat(5) counts it.
struct StolenTime: Equatable {
  /// Ticks that the host gave to other machines.
  let stolen: Double
  /// All ticks, of all CPUs.
  let all: Double

  /// Reads the text of /proc/stat; nil where it does not tell of steal.
  init?(_ text: String? = SystemCalls.read("/proc/stat")) {
    guard let line = text?.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
    // user nice system idle iowait irq softirq steal; guests are counted in user already.
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    guard ticks.count == 8 else { return nil }
    stolen = ticks[7]
    all = ticks.reduce(0, +)
  }

  /// The share of the time since then, from 0 to 1; nil when none went by.
  func share(since before: StolenTime) -> Double? {
    guard all > before.all, stolen >= before.stolen else { return nil }
    return min(1, (stolen - before.stolen) / (all - before.all))
  }
}
