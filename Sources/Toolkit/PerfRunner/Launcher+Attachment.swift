internal import CLinux
internal import Glibc
internal import PerfModel

extension Launcher {
  /// Measures a running process from now until it ends, the time is over or the user ends it.
  func measure(_ attachment: Attachment, _ record: inout LaunchRecord) {
    let process = attachment.process
    record.process = process
    record.machine.before = .now()
    record.before = ProcessReadings(of: process)
    startSampling()
    record.began = SystemCalls.now()
    record.launched = record.began
    let drain = capture.map { capture in
      PeriodicThread(name: "perfkit-drain", interval: 5_000_000) { capture.takeOver() }
    }
    let deadline = attachment.duration.map { record.began + $0 } ?? .max
    // A descriptor belongs to this process, even if another one gets its number.
    let descriptor = clinux_process_descriptor(process)
    defer { if descriptor >= 0 { close(descriptor) } }
    var hasEnded = false
    while !hasEnded, SystemCalls.now() < deadline, !attachment.isEnded() {
      let now = SystemCalls.now()
      let next = min(deadline, now + 50_000_000)
      if descriptor >= 0 {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        hasEnded = Glibc.poll(&poll, 1, Int32((next - now + 999_999) / 1_000_000)) > 0
      } else {
        SystemCalls.sleep(until: next)
        hasEnded = kill(process, 0) != 0 && errno == ESRCH
      }
    }
    record.after = hasEnded ? nil : ProcessReadings(of: process)
    record.ended = SystemCalls.now()
    record.machine.after = .now()
    stopSampling()
    drain?.stop()
  }
}
