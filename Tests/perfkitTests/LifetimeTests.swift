import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The processes of a run end with the run; recorded commands and hooks belong to their user.
struct LifetimeTests {
  /// Starts perfkit in a folder, waits until a condition holds, and ends it by a signal.
  ///
  /// - Returns: The exit status, or the number of the signal.
  @discardableResult
  private func killHarness(
    _ words: [String], in folder: TemporaryFolder, by signal: Int32 = SIGKILL,
    after condition: () -> Void
  ) throws -> Int32 {
    let harness = Process()
    harness.executableURL = URL(fileURLWithPath: TestCommand.programs + "/perfkit")
    harness.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    harness.arguments = words
    harness.standardInput = FileHandle.nullDevice
    harness.standardOutput = FileHandle.nullDevice
    harness.standardError = FileHandle.nullDevice
    try harness.run()
    condition()
    kill(harness.processIdentifier, signal)
    harness.waitUntilExit()
    return harness.terminationStatus
  }

  @Test(arguments: [
    // The shell, a child and a child in another session and process group.
    (["sh"], "setsid sleep 1000 & sleep 1000 &"),
    // The shell and a child, which have no variables.
    (["env", "-i", "sh"], "sleep 1000 &"),
  ])
  func `all processes of a launch end when the harness is killed`(
    shell: [String], children: String
  ) throws {
    let folder = try TemporaryFolder()
    let witness = try ProcessWitness(in: folder)
    let words =
      [
        "run", "--all", "--store", folder("s.sqlite"), "--no-report", "--no-profile",
        "--iterations", "1", "--",
      ] + shell + ["-c", "\(witness.opening); \(children) printf x >&9; wait"]
    try killHarness(words, in: folder) { #expect(witness.read() == 1) }
    #expect(witness.read() == 0, "a process of the launch lives on")
  }

  @Test(arguments: [
    ["record", "--engine", "signal", "--no-report", "--", "sh", "waits.sh"],
    [
      "run", "--no-profile", "--no-report", "--iterations", "1", "--prepare", "sh waits.sh", "--",
      "true",
    ],
  ])
  func `a recorded command and a hook go on when perfkit is killed`(words: [String]) throws {
    let folder = try TemporaryFolder()
    let witness = try ProcessWitness(in: folder)
    // The script waits for some minutes at most, if the test fails.
    try """
    \(witness.opening); printf x >&9
    i=0; while [ ! -e goes-on ] && [ $i -lt 9999 ]; do sleep 0.01; i=$((i+1)); done
    printf x >&9
    """.write(toFile: folder("waits.sh"), atomically: true, encoding: .utf8)
    try killHarness(words, in: folder) { #expect(witness.read() == 1) }
    #expect(FileManager.default.createFile(atPath: folder("goes-on"), contents: nil))
    #expect(witness.read() == 1, "the process ended with perfkit")
    #expect(witness.read() == 0)
  }

  @Test func `a stopped hook ends with all that it started, and no launch follows`() throws {
    let folder = try TemporaryFolder()
    let witness = try ProcessWitness(in: folder)
    try """
    \(witness.opening); trap '' TERM INT HUP
    setsid sleep 1000 & printf x >&9; wait
    """.write(toFile: folder("waits.sh"), atomically: true, encoding: .utf8)
    let status = try killHarness(
      [
        "run", "--no-profile", "--no-report", "--iterations", "2", "--prepare", "sh waits.sh",
        "--", "touch", "measured",
      ], in: folder, by: SIGTERM
    ) { #expect(witness.read() == 1) }
    #expect(status == 130)
    #expect(witness.read() == 0, "a process of the hook lives on")
    #expect(!FileManager.default.fileExists(atPath: folder("measured")))
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
