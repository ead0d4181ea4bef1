import CPerfFormat
import Glibc
import PerfModel
import Testing

@testable import PerfProfile

/// Programs that fork or replace themselves.
@Suite struct ImageTests {
  @Test func `a child after fork writes nothing`() throws {
    let outcome = try AgentUnderTest.run("fork")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("child.status") == 0)
    #expect(outcome.records.said("child") == nil)
    #expect(outcome.records.said("alive") == nil)
    #expect(outcome.records.samples.count > 5)
    #expect(Set(outcome.records.samples.map(\.fixed.tid)).count == 1)
  }

  @Test func `forks of a large process have their share of the CPU time`() throws {
    let (profile, capture) = try AgentUnderTest.profile(of: "fork-large")
    let forks = profile.counts.filter {
      $0.state == .running && profile.phases[$0.phase] == "fork"
    }
    // Half of the CPU time is spent in forks. Without the wait at the end of fork, a fifth to a third
    // of their ticks came in them.
    let found = forks.reduce(0) { $0 + $1.weight }
    let due = try #require(capture.events.last { $0.name == "forking" }?.value)
    #expect(found > due / 2 && found < 1.5 * due, "\(found / 1e6) of \(due / 1e6) ms")
  }

  @Test func `a child process that inherits the segment writes nothing`() throws {
    let outcome = try AgentUnderTest.run("exec")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("parent") == 1)
    #expect(outcome.records.frames.isEmpty)
  }

  @Test func `a process continues to write after exec`() throws {
    let outcome = try AgentUnderTest.run("replace-image")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("before") == 1)
    #expect(outcome.records.frames.count == 2)
    // The ring of the first program is closed.
    #expect(outcome.records.states.count { $0 == PERFKIT_RING_CLOSED.rawValue } >= 1)
  }

  @Test(arguments: ["marks", "exec"])
  func `a program does not wait long for a harness that is gone or does not answer`(
    command: String
  ) throws {
    // An alarm ends a program that hangs.
    #expect(try AgentUnderTest.runWithoutHarness(command) == [0, 0])
    let tooLong = String(repeating: "x", count: 4000)
    #expect(try AgentUnderTest.runWithoutSegment(command, follow: tooLong) == 0)
  }

  @Test(arguments: ["exec-chain", "exec-blocked", "exec-called"])
  func `no signal of the ticker reaches the next program`(command: String) throws {
    // Each program uses another ring, so the rings are drained meanwhile.
    let (status, capture) = try AgentUnderTest.runDrained(command, .often)
    // A program that gets the signal ends by it.
    #expect(status == 0)
    #expect(capture.events.contains { $0.name == "last" })
    // Two signals for each of forty programs.
    #expect(capture.audit.signals_sent >= 80)
    // The first list of a program follows the last list of the previous one.
    #expect(capture.moduleLists.allSatisfy { $0.before > 0 })
  }

  @Test func `sampling continues after exec has failed`() throws {
    let outcome = try AgentUnderTest.run("exec-failing", .often)
    #expect(outcome.isSuccess)
    let before = try #require(outcome.records.said("signals"))
    // About 100 ms of CPU time at 10 kHz.
    #expect(Double(outcome.records.audit.samples_written) > before + 50)
    #expect(outcome.records.audit.left == 0)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `a child whose exec fails while it gets its segment is not counted as left`() throws {
    let (status, audits) = try AgentUnderTest.runFollowed(
      "exec-failing-children", TortureRun.configuration, processes: 9)
    #expect(status == 0)
    // The program and those of its eight children that asked in time.
    #expect(audits.count > 2)
    #expect(audits.allSatisfy { $0.left == 0 })
  }

  @Test func `a child does not inherit the agent's descriptors`()
    throws
  {
    let outcome = try AgentUnderTest.run("fork-descriptors")
    #expect(outcome.status == 0)
    #expect(!outcome.records.waits.isEmpty)
  }

  @Test func `a library can fork before the agent has begun`() throws {
    let library = "\(try AgentUnderTest.built.get().folder)/early.so"
    var status: Int32 = -1
    for compiler in ["clang", "cc"] where status != 0 {
      status =
        (try? AgentUnderTest.spawn([
          compiler, "-O2", "-fPIC", "-shared", "-o", library,
          "\(AgentUnderTest.tests)/Programs/early.c",
        ])) ?? -1
    }
    try #require(status == 0)
    // The library that is preloaded last begins first.
    let (end, capture) = try AgentUnderTest.runDrained("probed", with: library)
    #expect(end == 0)
    #expect(capture.audit.ticks > 0)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `children by vfork and posix_spawn do not change their parent's sampling`() throws {
    let outcome = try AgentUnderTest.run("spawn", .often)
    #expect(outcome.isSuccess)
    #expect(Set(outcome.records.samples.map(\.fixed.tid)).count == 1)
    #expect(outcome.records.samples.count > 20)
    #expect(outcome.records.audit.left == 0)
  }
}
