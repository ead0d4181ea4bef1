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

  private static func busySeconds() -> Double? { CPUTimes().map { $0.busy / CPUTimes.rate } }
}
