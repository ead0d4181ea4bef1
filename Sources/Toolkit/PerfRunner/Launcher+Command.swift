internal import Glibc
internal import PerfModel

extension Launcher {
  /// Measures any program from its start to its end.
  func measureCommand(
    _ launch: WorkerProcess.Configuration, _ record: inout LaunchRecord
  ) throws {
    readPace(&record)
    record.machine.before = .now()
    startSampling()
    let process = try WorkerProcess(launch)
    record.launched = process.started
    record.began = process.started
    let watch = LaunchWatch(
      process: process, segmentBytes: capture?.bytes ?? 0, limit: plan.jetsamLimit,
      readsPeak: true)
    let threads = watchers(of: process, watch, interval: 2_000_000)
    defer { threads.forEach { $0.stop() } }
    let deadline = record.began + plan.scenario.timeout
    var ending: WorkerProcess.Ending?
    while ending == nil, SystemCalls.now() < deadline, !isCancelled() {
      ending = process.waitForEnd(deadline: min(deadline, SystemCalls.now() + 100_000_000))
    }
    record.ended = SystemCalls.now()
    record.machine.after = .now()
    switch ending {
    case .exited(0): break
    case .exited(let code) where plan.isAttended:
      warn([
        RunWarning(code: "command.exit", message: "the command exited with \(code)")
      ])
    case .exited(let code):
      let output = process.lastOutput()
      record.status = .failed(
        "it exited with \(code)" + (output.isEmpty ? "" : "; its last output: \(output)"))
    case .signalled(let signal):
      record.status = watch.wasKilledAtLimit ? .jetsam : .crashed(signal: signal)
    case nil:
      record.status = isCancelled() ? .interrupted : .timedOut
      end(process)
    }
    stopSampling()
    record.after = ProcessReadings(ofEnded: process, peakResident: watch.lastPeak)
    record.resident = watch.residentSeries(from: record.began)
    record.series = [record.resident, watch.cpuSeries(from: record.began)]
  }

  private func end(_ process: WorkerProcess) {
    if plan.isAttended {
      // Ctrl-C has reached the command as well, and it may need time to write its results.
      if process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000) != nil { return }
      process.send(SIGTERM)
      if process.waitForEnd(deadline: SystemCalls.now() + 3_000_000_000) != nil { return }
    }
    process.kill()
    _ = process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000)
  }
}
