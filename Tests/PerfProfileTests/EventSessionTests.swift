import Foundation
import Glibc
import Testing

@testable import PerfProfile

/// Sampling by the kernel.
struct EventSessionTests {
  private static let isAllowed = EventSession.obstacle() == nil

  @Test(.enabled(if: isAllowed, "the kernel does not let this user sample"))
  func `samples that do not fit into the ring are counted`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"]
    try process.run()
    // A sample copies 16 KiB of the stack. Records without stacks fit into a page, and the kernel
    // reports losses before them.
    let session = try EventSession(
      attachingTo: process.processIdentifier, EventSettings(ringBytes: 4096))
    while process.isRunning {
      session.drain()
      sched_yield()
    }
    let (program, _) = session.finish()
    #expect(program.samplesDropped > 0)
  }

  @Test(.enabled(if: isAllowed, "the kernel does not let this user sample"))
  func `a process that has ended is refused`() {
    // The largest process id of Linux is 4,194,304.
    do {
      _ = try EventSession(attachingTo: 4_194_305, EventSettings())
      Issue.record("there is such a process")
    } catch {
      #expect(error.errno == ESRCH)
    }
  }
}
