import CPerfFormat
import PerfModel
import Testing

@testable import PerfProfile

/// Which samples there are.
@Suite struct SamplingTests {
  @Test func `phases get their shares of the samples`() throws {
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
    // The machine agrees with the marks: the functions are laid out one after the other.
    let layout = UInt64(try #require(records.said("address.layout")))
    let gradient = UInt64(try #require(records.said("address.gradient")))
    let inLayout = samples.count { (layout..<gradient).contains($0.programCounter) }
    #expect(abs(Double(inLayout) / count - 0.67) < 0.67 / 4)
    #expect(records.dropped == 0)
    #expect(records.audit.samples_dropped == 0)
    #expect(records.audit.samples_written == UInt64(samples.count))
    #expect(records.phases.count == 1600)
  }

  @Test func `signposts get their shares of the samples, the innermost one each`() throws {
    let (status, capture) = try AgentUnderTest.runDrained("signposts")
    #expect(status == 0)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    let profile = builder.finish()
    let running = profile.counts.filter { $0.state == .running }
    let count = Double(running.reduce(0) { $0 + $1.samples })
    try #require(count > 200)
    // Of 100 units of work 20 are in "import" alone, and 50 in "scan" within it.
    for (name, share) in [("", 0.3), ("import", 0.2), ("scan", 0.5)] {
      let samples = running.filter { profile.signposts[$0.signpost] == name }
      let found = Double(samples.reduce(0) { $0 + $1.samples }) / count
      // A quarter of the share, or four standard errors of a share of so many samples.
      let tolerance = max(share / 4, 4 * (share * (1 - share) / count).squareRoot())
      #expect(abs(found - share) < tolerance, "'\(name)' has \(found) of \(count) samples")
    }
    // The time line knows it of each sample.
    let timed = try #require(profile.timeline[0])
    #expect(
      timed.count { $0.state == .running && profile.signposts[$0.signpost] == "scan" }
        == running.filter { profile.signposts[$0.signpost] == "scan" }
        .reduce(0) { $0 + $1.samples })
  }

  @Test func `a thread that waits is never signalled`() throws {
    let outcome = try AgentUnderTest.run("idle")
    #expect(outcome.isSuccess)
    let records = outcome.records
    #expect(records.said("interruptions") == 0)
    #expect(records.starts.count == 17)
    #expect(records.ends.count == 17)
    #expect(records.samples.count > 20)
    #expect(records.samples.allSatisfy { $0.fixed.serial == records.mainSerial })
  }

  @Test func `samples carry what the ticker knew, and CPU clocks that grow`() throws {
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
    // Two signals never meet: a sample lies between its tick and the next one.
    let ticks = records.samples.map(\.fixed.tick_ns)
    #expect(zip(records.samples, ticks.dropFirst()).allSatisfy { $0.fixed.record.time_ns <= $1 })
  }

  @Test func `a signal that was given up and comes late writes no sample`() throws {
    let outcome = try AgentUnderTest.run("late")
    #expect(outcome.status == 0)
    // With the times of the signal that came before it there would be five of one tick.
    let ticks = outcome.records.samples.map(\.fixed.tick_ns)
    #expect(ticks.count > 10 && Set(ticks).count == ticks.count)
    #expect(outcome.records.audit.samples_dropped == 0)
  }

  @Test func `the empty handler writes nothing, but answers`() throws {
    var configuration = CaptureConfiguration.tests
    configuration.hasEmptyHandler = true
    let records = try AgentUnderTest.run("idle", configuration).records
    #expect(records.samples.isEmpty)
    #expect(records.audit.samples_written == 0)
    #expect(records.audit.signals_sent > 20)
  }

  @Test func `without an interval there are marks, but no ticker`() throws {
    var configuration = CaptureConfiguration.tests
    configuration.interval = 0
    let outcome = try AgentUnderTest.run("marks", configuration)
    #expect(outcome.isSuccess)
    #expect(outcome.records.frames.count == 2)
    #expect(outcome.records.audit.ticks == 0)
    #expect(outcome.records.starts.isEmpty)
  }

  @Test func `a program that handles the signal itself gets none of ours`() throws {
    let outcome = try AgentUnderTest.run("handled")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("handled") == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(outcome.records.audit.signals_sent == 0)
  }

  @Test func `a program that takes the signal away does not see that we had it`() throws {
    let outcome = try AgentUnderTest.run("replaced")
    #expect(outcome.isSuccess)
    #expect(outcome.records.said("handled.later") == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    let before = try #require(outcome.records.said("samples.before"))
    #expect(before > 0)
    // Looking at the handler, and setting the one that was found, changes nothing.
    #expect(try #require(outcome.records.said("samples.after")) > before)
  }

  @Test func `a program that takes the signal away behind our back is left in peace`() throws {
    let outcome = try AgentUnderTest.run("replaced-raw")
    #expect(outcome.isSuccess)
    // A signal that was on its way when the agent looked may still arrive.
    #expect(try #require(outcome.records.said("handled.later")) <= 1)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(outcome.records.samples.count > 0)
  }

  @Test(arguments: ["replaced-sysv", "replaced-set", "replaced-bsd", "replaced-ignored"])
  func `whichever way a program takes the signal, it gets none of ours`(command: String) throws {
    let outcome = try AgentUnderTest.run(command)
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(outcome.records.samples.count > 0)
  }

  @Test func `a program that reads the signal from a descriptor reads none of ours`() throws {
    let outcome = try AgentUnderTest.run("described")
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(outcome.records.samples.count > 0)
  }

  @Test(arguments: ["awaited", "limited-awaited"])
  func `a thread that waits for all signals gets none of ours`(command: String) throws {
    #expect(try AgentUnderTest.run(command).isSuccess)
  }

  @Test(arguments: ["pending", "awaited-long"])
  func `a program that looks at its signals, or waits for them, sees none of ours`(command: String)
    throws
  {
    let outcome = try AgentUnderTest.run(command)
    #expect(outcome.status == 0)
    if command == "pending" { #expect(outcome.records.audit.threads_blocking == 1) }
  }

  @Test func `a wait that lets signals through is ended by none of ours`() throws {
    let outcome = try AgentUnderTest.run("opened", .often)
    #expect(outcome.status == 0)
    let records = outcome.records
    // It blocked the signal while it worked, until the end.
    #expect(records.audit.threads_blocking == 1)
    #expect((40...).contains(records.samples.count))
  }

  @Test func `a program that asks for interrupted calls does not get them by our signal`() throws {
    let outcome = try AgentUnderTest.run("interrupting")
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.foreign_handler == 1)
    #expect(!outcome.records.samples.isEmpty)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `a program that may have no signal pending is sampled`() throws {
    let outcome = try AgentUnderTest.run("limited")
    #expect(outcome.isSuccess)
    let records = outcome.records
    // Both the initial thread and one that finds out by its first signal who it is.
    let stranger = UInt32(try #require(records.said("stranger.tid")))
    #expect(records.samples.contains { $0.fixed.tid != stranger })
    #expect(records.samples.count { $0.fixed.tid == stranger } > 10)
    let audit = records.audit
    #expect(audit.samples_written + audit.samples_dropped == audit.signals_sent)
  }
}
