import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The processes of a run end with the run.
struct LifetimeTests {
  @Test func `all processes of a launch end when the harness is killed`() throws {
    let folder = try TemporaryFolder()
    let witness = try ProcessWitness(in: folder)
    let harness = Process()
    harness.executableURL = URL(fileURLWithPath: TestCommand.programs + "/perfkit")
    harness.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    // The shell, a child and a child in another session and process group.
    harness.arguments = [
      "run", "--all", "--store", folder("s.sqlite"), "--no-report", "--no-profile",
      "--iterations", "1",
      "--", "sh", "-c",
      "\(witness.opening); setsid sleep 1000 & sleep 1000 & printf x >&9; wait",
    ]
    harness.standardOutput = FileHandle.nullDevice
    harness.standardError = FileHandle.nullDevice
    try harness.run()
    #expect(witness.read() == 1)
    kill(harness.processIdentifier, SIGKILL)
    harness.waitUntilExit()
    #expect(witness.read() == 0, "a process of the launch lives on")
  }

  @Test func `a process that leaves its launch is ended after the run, and reported`() throws {
    let command = try TestCommand()
    let witness = try ProcessWitness(in: command.folder)
    let result = command(
      "run", "--all", "--no-report", "--no-profile", "--iterations", "1", "--warmup", "0",
      "--", "sh", "-c",
      """
      \(witness.opening)
      setsid sh -c 'printf x >&9; : > started; exec sleep 1000' >/dev/null 2>&1 &
      while [ ! -e started ]; do :; done
      """)
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.prints("the launches left 1 process running, which perfkit ended: sleep ("))
    #expect(witness.read() == 1)
    #expect(witness.read() == 0)
  }
}
