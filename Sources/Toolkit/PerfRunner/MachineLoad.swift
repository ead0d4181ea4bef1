internal import Glibc

/// How busy the machine's CPUs were while samples were taken.
struct MachineLoad {
  private var busySeconds = 0.0
  private var seconds = 0.0
  private var mark: (busy: Double, time: UInt64)?

  /// CPUs that were busy on average, or nil when nothing was counted.
  var cpusBusy: Double? { seconds > 0 ? busySeconds / seconds : nil }

  /// Begins to count.
  mutating func begin() {
    mark = Self.busySeconds().map { ($0, SystemCalls.now()) }
  }

  /// Stops counting; does nothing when nothing was begun.
  mutating func end() {
    guard let mark, let busy = Self.busySeconds() else { return }
    self.mark = nil
    busySeconds += max(0, busy - mark.busy)
    seconds += Double(SystemCalls.now() - mark.time) / 1e9
  }

  /// Busy time of all CPUs since boot: all columns of /proc/stat's first line but idle and iowait.
  private static func busySeconds() -> Double? {
    guard let text = SystemCalls.read("/proc/stat"), let line = text.split(separator: "\n").first
    else { return nil }
    let ticks = line.split(separator: " ").dropFirst().compactMap { Double($0) }
    guard ticks.count >= 8 else { return nil }
    // user nice system idle iowait irq softirq steal; guests are counted in user already.
    let busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]
    return busy / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
