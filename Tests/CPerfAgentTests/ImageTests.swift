import CPerfFormat
import Glibc
import Testing

@testable import PerfProfile

/// Processes that go on with another program, and children.
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

  @Test func `another program that inherits the segment writes nothing`() throws {
    let outcome = try AgentUnderTest.run("exec")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("parent") == 1)
    #expect(outcome.records.frames.isEmpty)
  }

  @Test func `a process that goes on with another program goes on writing`() throws {
    let outcome = try AgentUnderTest.run("replace-image")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("before") == 1)
    #expect(outcome.records.frames.count == 2)
    // Nobody can still write into the ring that the first program had.
    #expect(outcome.records.states.count { $0 == PERFKIT_RING_CLOSED.rawValue } >= 1)
  }

  @Test(arguments: ["marks", "exec"])
  func `a harness that is gone, or does not answer, holds nobody up for long`(
    command: String
  ) throws {
    // The program ends itself by an alarm when it hangs.
    #expect(try AgentUnderTest.runWithoutHarness(command) == [0, 0])
    let tooLong = String(repeating: "x", count: 4000)
    #expect(try AgentUnderTest.runWithoutSegment(command, follow: tooLong) == 0)
  }

  @Test(arguments: ["exec-chain", "exec-blocked", "exec-called"])
  func `no signal of the ticker meets the next program`(command: String) throws {
    // Each program leaves a ring behind, so they are drained all the while.
    let (status, capture) = try AgentUnderTest.runDrained(command, .often)
    // A program that is met ends by SIGPROF.
    #expect(status == 0)
    #expect(capture.events.contains { $0.name == "last" })
    // Two for each of forty programs.
    #expect(capture.audit.signalsSent >= 80)
    // The first list of a program has nothing to say of what the one before it had loaded.
    #expect(capture.moduleLists.allSatisfy { $0.before > 0 })
  }

  @Test func `an exec that fails leaves the sampling as it was`() throws {
    let outcome = try AgentUnderTest.run("exec-failing", .often)
    #expect(outcome.isSuccess)
    let before = try #require(outcome.records.said("signals"))
    // 100 ms of CPU time, more or less, at 10 kHz.
    #expect(Double(outcome.records.audit.samples_written) > before + 50)
    #expect(outcome.records.audit.left == 0)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `a child whose exec fails while it is given its segment has not left`() throws {
    let (status, audits) = try AgentUnderTest.runFollowed(
      "exec-failing-children", TortureRun.configuration, processes: 9)
    #expect(status == 0)
    // The program and its eight children, as far as they asked in time.
    #expect(audits.count > 2)
    #expect(audits.filter(\.hasLeft).isEmpty)
  }

  @Test func `a child has none of the descriptors by which its parent's threads are looked at`()
    throws
  {
    let outcome = try AgentUnderTest.run("fork-descriptors")
    #expect(outcome.status == 0)
    #expect(!outcome.records.waits.isEmpty)
  }

  @Test func `a library that forks before the agent has begun has its child`() throws {
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
    // What is preloaded last begins first.
    let (end, capture) = try AgentUnderTest.runDrained("probed", with: library)
    #expect(end == 0)
    #expect(capture.audit.ticks > 0)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `children by vfork and posix_spawn leave their parent's sampling alone`() throws {
    let outcome = try AgentUnderTest.run("spawn", .often)
    #expect(outcome.isSuccess)
    #expect(Set(outcome.records.samples.map(\.fixed.tid)).count == 1)
    #expect(outcome.records.samples.count > 20)
    #expect(outcome.records.audit.left == 0)
  }
}
