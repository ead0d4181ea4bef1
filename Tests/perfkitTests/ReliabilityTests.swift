import Foundation
import PerfTestSupport
import Testing

/// Short forms of those parts of Scripts/reliability that find no fault.
@Suite(.serialized) struct ReliabilityTests {
  @Test(arguments: ["kills", "endurance"])
  func `nothing is lost`(part: String) throws { try Self.run(part) }

  /// The 35th read of the main thread reads its arguments.
  @Test(
    .enabled(if: TestCommand.hasTool("strace"), "strace is not installed"),
    arguments: [
      ("read:error=EIO:when=35", "cannot read /proc/self/exe and /proc/self/cmdline"),
      ("clone3:error=EPERM", "cannot start a thread: Operation not permitted"),
    ])
  func `a process that cannot start says why`(fault: String, message: String) throws {
    let (status, output) = try DocumentTests.run([
      "strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(fault)",
      "\(TestPrograms.folder)/perfkit", "list", "metrics",
    ])
    #expect(status == 2)
    #expect(output.contains(message), "\(output)")
  }

  private static func run(_ part: String) throws {
    // Other tests run at the same time, so only commands that wait for ever exceed the limit.
    let (status, output) = try DocumentTests.run([
      "env", "-C", DocumentFile.root.path, "PERFKIT_PROGRAMS=\(TestPrograms.folder)",
      "Scripts/reliability", part, "--minutes", "1", "--kills", "30", "--limit", "60",
    ])
    #expect(status == 0, "\(output)")
  }
}
