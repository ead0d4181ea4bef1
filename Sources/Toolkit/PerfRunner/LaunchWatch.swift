internal import PerfModel
internal import Synchronization

/// Reads a process's memory and CPU over time, and kills the process at its memory limit.
final class LaunchWatch: Sendable {
  private struct State {
    var times: [UInt64] = []
    var resident: [Double] = []
    var cpu: [UInt64] = []
    var peak: UInt64?
    var wasKilled = false
  }

  private let state = Mutex(State())
  private let process: WorkerProcess
  private let segmentBytes: UInt64
  private let limit: UInt64?
  private let readsPeak: Bool

  /// Creates a watch, whose `tick()` must be called every few milliseconds.
  ///
  /// - Parameters:
  ///   - process: The worker.
  ///   - segmentBytes: Bytes of PerfKit's shared memory, which are subtracted.
  ///   - limit: The footprint in bytes at which the process is killed, or nil.
  ///   - readsPeak: Whether each reading includes VmHWM, for a process that ends by itself.
  init(process: WorkerProcess, segmentBytes: UInt64, limit: UInt64?, readsPeak: Bool = false) {
    self.process = process
    self.segmentBytes = segmentBytes
    self.limit = limit
    self.readsPeak = readsPeak
  }

  func tick() {
    let now = SystemCalls.now()
    guard let footprint = footprint(), let cpu = SystemCalls.cpuTime(of: process.id) else {
      return
    }
    let isOver = limit.map { footprint > $0 } ?? false
    let peak = readsPeak ? ProcessReadings.peakMemory(of: process.id) : nil
    state.withLock { state in
      state.peak = peak ?? state.peak
      state.times.append(now)
      state.resident.append(Double(footprint))
      state.cpu.append(cpu)
      if isOver { state.wasKilled = true }
    }
    if isOver { process.kill() }
    process.trimOutput()
  }

  /// Returns resident bytes without the segment; nil if the process is gone.
  func footprint() -> UInt64? {
    ProcessReadings.residentMemory(of: process.id).map { $0 > segmentBytes ? $0 - segmentBytes : 0 }
  }

  var wasKilledAtLimit: Bool { state.withLock { $0.wasKilled } }

  /// Returns resident bytes over nanoseconds from a moment of CLOCK_MONOTONIC on.
  func residentSeries(from began: UInt64) -> TimeSeries {
    state.withLock { state in
      let first = state.times.firstIndex { $0 >= began } ?? state.times.endIndex
      return TimeSeries(
        name: "rss", dimension: .size, times: state.times[first...].map { $0 - began },
        values: Array(state.resident[first...]))
    }
  }

  /// Returns the number of busy CPUs over time.
  ///
  /// - Parameter began: Zero of the series in CLOCK_MONOTONIC; earlier readings are left out.
  /// - Returns: Means over windows of about 50 ms; shorter windows show the scheduler rather than
  ///   the work.
  func cpuSeries(from began: UInt64) -> TimeSeries {
    state.withLock { state in
      var times: [UInt64] = []
      var values: [Double] = []
      var last: Int?
      for (index, time) in state.times.enumerated() where time >= began {
        guard let begin = last else {
          last = index
          continue
        }
        let width = time - state.times[begin]
        guard width >= 50_000_000 else { continue }
        times.append(time - began)
        values.append(Double(state.cpu[index] - state.cpu[begin]) / Double(width))
        last = index
      }
      return TimeSeries(name: "cpu", dimension: .ratio, times: times, values: values)
    }
  }

  /// The last reading of VmHWM in bytes, including the segment.
  var lastPeak: UInt64? { state.withLock { $0.peak } }
}
