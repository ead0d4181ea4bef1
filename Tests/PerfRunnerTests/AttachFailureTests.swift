import Glibc
import Testing

@testable import PerfProfile
@testable import PerfRunner

/// The errors of sampling a running process.
struct AttachFailureTests {
  private func text(_ code: Int32) -> String {
    "\(LaunchEvents.failure(to: 4711, EventObstacle(errno: code)))"
  }

  @Test func `a process that ended after its check is named`() {
    #expect(text(ESRCH).hasPrefix("cannot sample process 4711: it has ended."))
  }

  @Test(arguments: [EACCES, EPERM])
  func `a process that this user may not trace is named, with the remedy`(code: Int32) {
    #expect(text(code).hasPrefix("cannot sample process 4711: this user may not trace it"))
    #expect(text(code).hasSuffix("Run perfkit as root."))
  }

  @Test func `a failure that does not concern the process keeps its own remedy`() {
    #expect(text(EMFILE).contains("Raise the limit of open files (ulimit -n)"))
    #expect(!text(EMFILE).contains("4711"))
    let ofRing = LaunchEvents.failure(to: 4711, EventObstacle(errno: EPERM, isOfRing: true))
    #expect("\(ofRing)".contains("ulimit -l") && !"\(ofRing)".contains("4711"))
  }

  @Test func `a refusal of the kernel names its setting and the capability`() {
    let strict = EventObstacle(errno: EACCES, paranoid: 3).description
    #expect(strict.contains("perf_event_paranoid is 3"))
    #expect(
      strict.contains("sysctl kernel.perf_event_paranoid=1") && strict.contains("CAP_PERFMON"))
    // A seccomp profile refuses it, so that the setting would not help.
    for setting in [3, 1, nil] {
      let refused = EventObstacle(errno: EPERM, paranoid: setting).description
      #expect(refused.contains("In a container") && refused.contains("seccomp"), "\(refused)")
    }
    #expect(EventObstacle(errno: ENOSYS, paranoid: nil).description.contains("no perf_event_open"))
  }
}
