import Foundation
import Glibc
import Testing

@testable import PerfProfile

/// The memory of the rings.
struct EventRingsTests {
  @Test func `the sizes of a ring are halved down to 128 KiB`() {
    #expect(
      EventSettings(ringBytes: 4 << 20).ringSizes
        == [4096, 2048, 1024, 512, 256, 128].map { $0 << 10 })
    // A ring that is smaller by the caller's choice has no other size.
    #expect(EventSettings(ringBytes: 4096).ringSizes == [4096])
  }

  @Test func `the next smaller size is tried only if memory is lacking`() {
    for (codes, sizes) in [
      ([0], [8]), ([-EPERM, 0], [8, 4]), ([-ENOMEM, -EPERM, 0], [8, 4, 2]), ([-EINVAL], [8]),
      ([-EPERM, -EPERM, -ENOMEM], [8, 4, 2]),
    ] as [([Int32], [Int])] {
      var left = codes
      var tried: [Int] = []
      let code = EventRings.firstSuccess(of: [8, 4, 2]) { bytes in
        tried.append(bytes)
        return left.removeFirst()
      }
      #expect(tried == sizes && code == codes.last)
    }
  }

  @Test(arguments: [EPERM, ENOMEM])
  func `a refusal of memory names the limits, and not the right to sample`(code: Int32) {
    let text = EventObstacle(errno: code, paranoid: 1, isOfRing: true).description
    #expect(text.contains("sysctl kernel.perf_event_mlock_kb=") && text.contains("ulimit -l"))
    #expect(!text.contains("CAP_PERFMON") && !text.contains("seccomp"), "\(text)")
  }
}

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
