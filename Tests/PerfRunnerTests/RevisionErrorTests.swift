import Testing

@testable import PerfRunner

struct RevisionErrorTests {
  @Test func `a full disk in a git command is reported with a remedy`() {
    let message = "fatal: cannot create 'work.c': No space left on device"
    #expect(
      "\(RevisionError.git(command: "checkout", message: message))"
        == "`git checkout` failed: \(message). Free some space, or pass a --store on another disk.")
    #expect(
      "\(RevisionError.git(command: "fetch", message: "fatal: no such remote"))"
        == "`git fetch` failed: fatal: no such remote")
  }
}
