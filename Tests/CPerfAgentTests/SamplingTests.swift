import CPerfFormat
import PerfModel
import Testing

@testable import PerfProfile

/// The samples that are taken.
@Suite struct SamplingTests {
  @Test func `each phase gets its share of the samples`() throws {
    // 400 rounds of 100 units; 4 kHz so that the smallest phase gets enough samples.
    var configuration = CaptureConfiguration.tests
    configuration.interval = 250_000
    configuration.sampleCapacity = 16 << 20
    configuration.markCapacity = 1 << 20
    let outcome = try AgentUnderTest.run("phases", configuration)
    #expect(outcome.isSuccess)
    let records = outcome.records
    let samples = records.samples
    let count = Double(samples.count)
    try #require(count > 500)
    for (name, share) in [("layout", 0.67), ("gradient", 0.18), ("decode", 0.12), ("other", 0.03)] {
      let found = Double(samples.count { records.name($0.fixed.phase) == name }) / count
      // A quarter of the share, or four standard errors of a share of so many samples.
      let tolerance = max(share / 4, 4 * (share * (1 - share) / count).squareRoot())
      #expect(abs(found - share) < tolerance, "\(name) has \(found) of \(count) samples")
    }
    // The program counters agree with the marks: the functions are laid out in this order.
    let layout = UInt64(try #require(records.said("address.layout")))
    let gradient = UInt64(try #require(records.said("address.gradient")))
    let inLayout = samples.count { (layout..<gradient).contains($0.programCounter) }
    #expect(abs(Double(inLayout) / count - 0.67) < 0.67 / 4)
    #expect(records.dropped == 0)
    #expect(records.audit.samples_dropped == 0)
    #expect(records.audit.samples_written == UInt64(samples.count))
    #expect(records.phases.count == 1600)
  }

  @Test func `each sample belongs to the innermost signpost`() throws {
    let profile = try AgentUnderTest.profile(of: "signposts").profile
    let running = profile.counts.filter { $0.state == .running }
    let timed = try #require(profile.timeline[0]).filter { $0.state == .running }
    let count = running.reduce(0) { $0 + $1.samples }
    try #require(count > 200)
    // A sample that stands for several ticks is once on the time line.
    let merged = count - timed.count
    try #require(0...count / 2 ~= merged, "\(merged) of \(count) ticks merged")
    // Of 100 units of work 20 are in "import" alone, and 50 in "scan" within it.
    for (name, share) in [("", 0.3), ("import", 0.2), ("scan", 0.5)] {
      let samples = running.filter { profile.signposts[$0.signpost] == name }
        .reduce(0) { $0 + $1.samples }
      // A quarter of the share, or four standard errors of a share of so many samples.
      let tolerance = max(share / 4, 4 * (share * (1 - share) / Double(count)).squareRoot())
      #expect(
        abs(Double(samples) / Double(count) - share) < tolerance,
        "'\(name)' has \(samples) of \(count) samples")
      let moments = timed.count { profile.signposts[$0.signpost] == name }
      #expect(0...merged ~= samples - moments, "'\(name)' has \(moments) moments of \(samples)")
    }
  }

  @Test func `a waiting thread is not signalled`() throws {
    let outcome = try AgentUnderTest.run("idle")
    #expect(outcome.isSuccess)
    let records = outcome.records
    #expect(records.said("interruptions") == 0)
    #expect(records.starts.count == 17)
    #expect(records.ends.count == 17)
    #expect(records.samples.count > 20)
    #expect(records.samples.allSatisfy { $0.fixed.serial == records.mainSerial })
  }

  @Test func `samples have the ticker's times and increasing CPU clocks`() throws {
    let records = try AgentUnderTest.run("idle").records
    let audit = records.audit
    #expect(audit.ticks > 0)
    #expect(audit.signals_sent >= audit.samples_written)
    #expect(audit.sampling_began_ns > 0)
    #expect(audit.sampling_ended_ns > audit.sampling_began_ns)
    #expect(audit.ticker_cpu_ns > 0)
    #expect(audit.foreign_handler == 0)
    let clocks = records.samples.map(\.fixed.thread_cpu_ns)
    #expect(zip(clocks, clocks.dropFirst()).allSatisfy { $0 < $1 })
    let begin = try #require(records.starts.first { $0.serial == records.mainSerial })
    let end = try #require(records.ends.first { $0.serial == records.mainSerial })
    #expect(end.cpu_ns > begin.cpu_ns)
    #expect(clocks.allSatisfy { (begin.cpu_ns...end.cpu_ns).contains($0) })
    // A thread has one pending signal at most: a sample comes before the next sample's tick.
    let ticks = records.samples.map(\.fixed.tick_ns)
    #expect(zip(records.samples, ticks.dropFirst()).allSatisfy { $0.fixed.record.time_ns <= $1 })
  }

  @Test func `a signal that comes after the ticker has given it up writes no sample`() throws {
    let outcome = try AgentUnderTest.run("late")
    #expect(outcome.status == 0)
    // Otherwise five samples would have the tick of the last accepted signal.
    let ticks = outcome.records.samples.map(\.fixed.tick_ns)
    #expect(ticks.count > 10 && Set(ticks).count == ticks.count)
    #expect(outcome.records.audit.samples_dropped == 0)
  }

  @Test func `the empty handler answers signals and writes no sample`() throws {
    var configuration = CaptureConfiguration.tests
    configuration.hasEmptyHandler = true
    let records = try AgentUnderTest.run("idle", configuration).records
    #expect(records.samples.isEmpty)
    #expect(records.audit.samples_written == 0)
    #expect(records.audit.signals_sent > 20)
  }

  @Test func `without an interval there are marks and no ticker`() throws {
    var configuration = CaptureConfiguration.tests
    configuration.interval = 0
    let outcome = try AgentUnderTest.run("marks", configuration)
    #expect(outcome.isSuccess)
    #expect(outcome.records.frames.count == 2)
    #expect(outcome.records.audit.ticks == 0)
    #expect(outcome.records.starts.isEmpty)
  }

  @Test func `a program that handles the signal from its start gets none of the agent`() throws {
    let outcome = try AgentUnderTest.run("handled")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("handled") == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(outcome.records.audit.signals_sent == 0)
  }

  @Test func `a program that takes the signal finds the default action`() throws {
    let outcome = try AgentUnderTest.run("replaced")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("handled.later") == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    let before = try #require(outcome.records.said("samples.before"))
    #expect(before > 0)
    // Reading the action, and setting the same one again, does not end sampling.
    #expect(try #require(outcome.records.said("samples.after")) > before)
  }

  @Test func `a program that takes the signal by a system call gets no more of them`() throws {
    let outcome = try AgentUnderTest.run("replaced-raw")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("handled.later") == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(outcome.records.samples.count > 0)
  }

  @Test(arguments: ["replaced-sysv", "replaced-set", "replaced-bsd", "replaced-ignored"])
  func `sampling ends when a program takes the signal by any function`(command: String) throws {
    let outcome = try AgentUnderTest.run(command)
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(outcome.records.samples.count > 0)
  }

  @Test func `a program that reads signals from a descriptor reads none of the agent`() throws {
    let outcome = try AgentUnderTest.run("described")
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(outcome.records.samples.count > 0)
  }

  @Test(arguments: ["awaited", "limited-awaited"])
  func `a thread that waits for all signals gets none of the agent`(command: String) throws {
    #expect(try AgentUnderTest.run(command).isSuccess)
  }

  @Test(arguments: ["pending", "awaited-long"])
  func `pending signals and long waits contain none of the agent`(command: String) throws {
    let outcome = try AgentUnderTest.run(command)
    #expect(outcome.status == 0)
    // A thread that has waited for the sampling signal is not signalled again, and is counted.
    #expect(outcome.records.audit.threads_blocking == (command == "pending" ? 0 : 1))
  }

  @Test func `a program that blocks signals except in its waits is sampled`() throws {
    let outcome = try AgentUnderTest.run("opened", .often)
    #expect(outcome.status == 0)
    let records = outcome.records
    #expect(records.audit.threads_blocking == 0)
    #expect(records.samples.count >= 100)
  }

  @Test func `sampling ends when a program asks for interrupted system calls`() throws {
    let outcome = try AgentUnderTest.run("interrupting")
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(!outcome.records.samples.isEmpty)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `a program that may have no pending signal is sampled`() throws {
    let outcome = try AgentUnderTest.run("limited")
    #expect(outcome.isSuccess)
    let records = outcome.records
    // Both the initial thread and a foreign one, which learns its slot by its first signal.
    let stranger = UInt32(try #require(records.said("stranger.tid")))
    #expect(records.samples.contains { $0.fixed.tid != stranger })
    #expect(records.samples.count { $0.fixed.tid == stranger } > 10)
    let audit = records.audit
    // Each of the two threads may end with a signal that it has not taken.
    let taken = audit.samples_written + audit.samples_dropped
    #expect((taken...taken + 2).contains(audit.signals_sent))
  }
}
