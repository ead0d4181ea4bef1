import CPerfFormat
import Glibc
import Testing

@testable import PerfProfile

/// Programs that block the signal that they are sampled with, or use SIGPROF themselves.
@Suite struct MaskTests {
  private static let signals = [SIGUSR2, SIGVTALRM, 37]

  private static func configuration(_ signal: Int32) -> CaptureConfiguration {
    var configuration = CaptureConfiguration.tests
    configuration.signal = signal
    return configuration
  }

  @Test(arguments: signals)
  func `any signal samples as SIGPROF does`(signal: Int32) throws {
    let outcome = try AgentUnderTest.run("idle", Self.configuration(signal))
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("interruptions") == 0)
    #expect(outcome.records.samples.count > 20)
  }

  @Test(arguments: signals)
  func `a thread that blocks all signals but SIGPROF or less is sampled`(signal: Int32) throws {
    let records = try AgentUnderTest.run("blocked", Self.configuration(signal)).records
    let tid = UInt32(try #require(records.said("blocking.tid")))
    #expect(records.audit.threads_blocking == 0)
    #expect(records.samples.count { $0.fixed.tid == tid } > 20)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `threads and processes have the masks that the program set`() throws {
    let outcome = try AgentUnderTest.run("masked", Self.configuration(SIGUSR2))
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.threads_blocking == 0)
    #expect(outcome.records.audit.foreign_handler == 0)
    // Four threads of 100 ms, three of which believed that they blocked it.
    let threads = Dictionary(grouping: outcome.records.samples, by: \.fixed.serial)
    #expect(threads.count { $0.value.count > 3 } >= 4)
  }

  @Test func `the next program of a process has its mask and is sampled`() throws {
    let (status, capture) = try AgentUnderTest.runDrained(
      "exec-masked", Self.configuration(SIGUSR2))
    #expect(status == 0)
    #expect(capture.events.first { $0.name == "believes" }?.value == 1)
    #expect(capture.events.first { $0.name == "really" }?.value == 0)
    #expect(capture.audit.samplesWritten > 20)
  }

  @Test(arguments: ["masked-pending", "masked-taken"])
  func `the program's own signals come when it lets them`(command: String) throws {
    let outcome = try AgentUnderTest.run(command, Self.configuration(SIGUSR2))
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.foreign_handler == (command == "masked-taken" ? 1 : 0))
    #expect(!outcome.records.samples.isEmpty)
  }

  @Test func `a handler that restores its mask leaves that of its thread as it was`() throws {
    let outcome = try AgentUnderTest.run("masked-handler", Self.configuration(SIGUSR2))
    #expect(outcome.status == 0)
    #expect(outcome.records.samples.count >= 10)
  }

  @Test func `a signal that is put off leaves errno as it was`() throws {
    let outcome = try AgentUnderTest.run("masked-errno", Self.configuration(SIGUSR2))
    #expect(outcome.status == 0)
  }

  @Test func `a program that reads the signal from a descriptor has it from then on`() throws {
    let outcome = try AgentUnderTest.run("masked-described", Self.configuration(SIGUSR2))
    // It ends by the signal, as it would without the agent.
    #expect(outcome.status == SIGUSR2)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(!outcome.records.samples.isEmpty)
  }

  @Test func `a program with a timer of its own gets its signals, and is sampled`() throws {
    let outcome = try AgentUnderTest.run("own-timer", Self.configuration(SIGUSR2))
    #expect(outcome.isSuccess)
    #expect(outcome.records.audit.foreign_handler == 0)
    #expect(outcome.records.samples.count > 20)
  }

  @Test(arguments: ["masked", "masked-taken", "masked-pending"])
  func `without a segment masks are the system's`(command: String) throws {
    // They end at the first look for the segment, as they would without the agent.
    #expect(try AgentUnderTest.runWithoutSegment(command) == 3 << 8)
    #expect(try AgentUnderTest.runWithoutSegment("masks-inherited") == 1 << 8)
  }
}
