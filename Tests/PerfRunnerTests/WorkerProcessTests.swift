import Glibc
import Testing

@testable import PerfRunner

struct WorkerProcessTests {
  private func shell(_ script: String, variables: [String: String] = [:]) throws -> WorkerProcess {
    try WorkerProcess(
      WorkerProcess.Configuration(
        path: "/bin/sh", arguments: ["-c", script], environment: variables, descriptors: []))
  }

  private var soon: UInt64 { SystemCalls.now() + 20_000_000_000 }

  @Test func `exit codes and signals are distinguished`() throws {
    #expect(try shell("exit 3").waitForEnd(deadline: soon) == .exited(3))
    #expect(try shell("kill -SEGV $$").waitForEnd(deadline: soon) == .signalled(SIGSEGV))
  }

  @Test func `a wait ends with the process, by a stop of the user, or at its deadline`() throws {
    let ended = try shell("exit 3")
    #expect(ended.waitForEnd(deadline: nil) { false } == .ended(.exited(3)))
    let running = try shell("sleep 600")
    #expect(running.waitForEnd(deadline: nil) { true } == .cancelled)
    #expect(running.waitForEnd(deadline: SystemCalls.now()) { false } == .timedOut)
    // The stop precedes the deadline, and the end of the process precedes both.
    #expect(running.waitForEnd(deadline: 0) { true } == .cancelled)
    #expect(ended.waitForEnd(deadline: 0) { true } == .ended(.exited(3)))
  }

  @Test func `the last output of both streams is kept`() throws {
    let process = try shell("echo out; echo err >&2; exit 1")
    #expect(process.waitForEnd(deadline: soon) == .exited(1))
    #expect(process.lastOutput() == "out\nerr")
  }

  @Test func `the last output begins with a whole word`() throws {
    // 5 + 26 + 1 + 1990 bytes; the last 2,000 begin within the token, which no pattern would match.
    let process = try shell("printf 'token=%026d %01990d' 7 8")
    #expect(process.waitForEnd(deadline: soon) == .exited(0))
    let output = process.lastOutput()
    #expect(output.utf8.count == 1990 && output.hasPrefix("00") && !output.contains("7"))
  }

  @Test func `a child has exactly the given environment`() throws {
    let process = try shell("echo $GIVEN-$HOME", variables: ["GIVEN": "yes"])
    #expect(process.waitForEnd(deadline: soon) == .exited(0))
    #expect(process.lastOutput() == "yes-")
  }

  @Test func `killing a process kills its whole group`() throws {
    let process = try shell("sh -c 'while :; do :; done' & while :; do :; done")
    process.kill()
    #expect(process.waitForEnd(deadline: soon) == .signalled(SIGKILL))
    #expect(isGone(process))
  }

  @Test func `the processes of a launch end with it, and its own status is returned`() throws {
    var launch = WorkerProcess.Configuration(
      path: "/bin/sh", arguments: ["-c", "sh -c 'while :; do :; done' & exit 3"], environment: [:],
      descriptors: [])
    launch.leavesNothing = true
    let process = try WorkerProcess(launch)
    defer { Glibc.kill(-process.id, SIGKILL) }
    #expect(process.waitForEnd(deadline: soon) == .exited(3))
    #expect(isGone(process))
  }

  /// Returns whether all members of a process group end in time, after which kill(2) finds none.
  private func isGone(_ process: WorkerProcess) -> Bool {
    let deadline = soon
    while SystemCalls.now() < deadline {
      if Glibc.kill(-process.id, 0) == -1, errno == ESRCH { return true }
    }
    return false
  }

  @Test func `the CPU time of an ended process is known`() throws {
    let process = try shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
    #expect(process.usage == nil)
    #expect(process.waitForEnd(deadline: soon) == .exited(0))
    let readings = ProcessReadings(ofEnded: process, peakResident: 5)
    #expect(try #require(readings.cpu) > 0)
    #expect(readings.peakResident == 5)
  }

  /// Kernels without CONFIG_SCHED_INFO report zeros.
  private static var hasDelays: Bool {
    (ProcessReadings.scheduling(ofTask: "/proc/self")?.ran ?? 0) > 0
  }

  @Test(.enabled(if: Self.hasDelays))
  func `the work and the waiting of an ended process's first thread are known`() throws {
    let loop = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
    // A shell that does the work, and one whose child does.
    for (script, doesWork) in [(loop, true), ("sh -c '\(loop)'; exit 0", false)] {
      let process = try shell(script)
      #expect(process.firstThread == nil && process.endMoment == nil)
      #expect(process.waitForEnd(deadline: soon) == .exited(0))
      #expect(try #require(process.endMoment) > process.started)
      let readings = ProcessReadings(ofEnded: process, peakResident: nil)
      #expect(readings.runDelay == process.firstThread?.waited)
      let first = try #require(readings.firstThreadCPU)
      let share = Double(first) / Double(try #require(readings.cpu))
      #expect(doesWork ? share > 0.9 : share < 0.9)
    }
  }

  @Test func `starting a missing program throws an error with its path`() {
    #expect(
      throws: RunnerError.cannotStart(
        path: "/nowhere/worker", reason: "No such file or directory")
    ) {
      try WorkerProcess(
        WorkerProcess.Configuration(
          path: "/nowhere/worker", arguments: [], environment: [:], descriptors: []))
    }
  }
}
