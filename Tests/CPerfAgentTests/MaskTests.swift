import CPerfFormat
import Glibc
import Testing

@testable import PerfProfile

/// Programs that block the sampling signal, or use SIGPROF themselves.
@Suite struct MaskTests {
  private static let signals = [SIGPROF, SIGUSR2, SIGVTALRM, 37]

  private static func configuration(_ signal: Int32) -> CaptureConfiguration {
    var configuration = CaptureConfiguration.tests
    configuration.signal = signal
    return configuration
  }

  @Test(arguments: signals)
  func `every signal can be the sampling signal`(signal: Int32) throws {
    let outcome = try AgentUnderTest.run("idle", Self.configuration(signal))
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("interruptions") == 0)
    #expect(outcome.records.samples.count > 20)
  }

  @Test(arguments: signals)
  func `a thread that blocks the sampling signal is sampled`(signal: Int32) throws {
    let records = try AgentUnderTest.run("blocked", Self.configuration(signal)).records
    let tid = UInt32(try #require(records.said("blocking.tid")))
    #expect(records.audit.threads_blocking == 0)
    #expect(records.samples.count { $0.fixed.tid == tid } > 20)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `threads, children and programs get the masks that the program has set`() throws {
    let outcome = try AgentUnderTest.run("masked", Self.configuration(SIGUSR2))
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.threads_blocking == 0)
    #expect(outcome.records.audit.foreign_handler == 0)
    // Four threads, three of which have asked to block the signal.
    let threads = Dictionary(grouping: outcome.records.samples, by: \.fixed.serial)
    #expect(threads.count { $0.value.count > 3 } >= 4)
  }

  @Test func `the next program of a process gets the mask of the previous one and is sampled`()
    throws
  {
    let (status, capture) = try AgentUnderTest.runDrained(
      "exec-masked", Self.configuration(SIGUSR2))
    #expect(status == 0)
    #expect(capture.events.first { $0.name == "believes" }?.value == 1)
    #expect(capture.events.first { $0.name == "really" }?.value == 0)
    #expect(capture.audit.samples_written > 20)
  }

  @Test(arguments: ["masked-pending", "masked-taken"])
  func `the program gets its own sampling signals when it unblocks them`(command: String) throws {
    let outcome = try AgentUnderTest.run(command, Self.configuration(SIGUSR2))
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.foreign_handler == (command == "masked-taken" ? 1 : 0))
    #expect(!outcome.records.samples.isEmpty)
  }

  @Test func `a handler that restores its mask does not change its thread's mask`() throws {
    let outcome = try AgentUnderTest.run("masked-handler", Self.configuration(SIGUSR2))
    #expect(outcome.status == 0)
    #expect(outcome.records.samples.count >= 10)
  }

  @Test func `deferring a signal does not change errno`() throws {
    let outcome = try AgentUnderTest.run("masked-errno", Self.configuration(SIGUSR2))
    #expect(outcome.status == 0)
  }

  @Test func `a program that reads the sampling signal from a descriptor takes it`() throws {
    let outcome = try AgentUnderTest.run("masked-described", Self.configuration(SIGUSR2))
    // The program ends by the signal, as it does without the agent.
    #expect(outcome.status == SIGUSR2)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(!outcome.records.samples.isEmpty)
  }

  @Test func `a program with a profiling timer gets its signals and is sampled by another one`()
    throws
  {
    let outcome = try AgentUnderTest.run("own-timer", Self.configuration(SIGUSR2))
    #expect(outcome.isSuccess)
    #expect(outcome.records.audit.foreign_handler == 0)
    #expect(outcome.records.samples.count > 20)
  }

  @Test(arguments: ["masked", "masked-taken", "masked-pending"])
  func `without a segment masks are not changed`(command: String) throws {
    // The programs end because they find no segment.
    #expect(try AgentUnderTest.runWithoutSegment(command) == 3 << 8)
    #expect(try AgentUnderTest.runWithoutSegment("masks-inherited") == 1 << 8)
  }
}
