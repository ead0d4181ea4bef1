/// The machine's CPU load while samples are taken.
struct MachineLoad {
  private var busySeconds = 0.0
  private var seconds = 0.0
  private var mark: (busy: Double, time: UInt64)?

  /// The mean number of busy CPUs, or nil without a reading.
  var cpusBusy: Double? { seconds > 0 ? busySeconds / seconds : nil }

  mutating func begin() {
    mark = Self.busySeconds().map { ($0, SystemCalls.now()) }
  }

  /// Stops counting; does nothing if counting was not started.
  mutating func end() {
    guard let mark, let busy = Self.busySeconds() else { return }
    self.mark = nil
    busySeconds += max(0, busy - mark.busy)
    seconds += Double(SystemCalls.now() - mark.time) / 1e9
  }

  private static func busySeconds() -> Double? { CPUTimes().map { $0.busy / CPUTimes.rate } }
}
