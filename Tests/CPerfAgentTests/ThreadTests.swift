import CPerfFormat
import Glibc
import PerfModel
import Testing

@testable import PerfProfile

/// Threads that come and go, and processes that are not ours.
@Suite struct ThreadTests {
  @Test func `a thousand threads leave no ring behind`() throws {
    let outcome = try AgentUnderTest.run("churn")
    #expect(outcome.isSuccess)
    let records = outcome.records
    #expect(records.states.count < 20)
    // The program's own thread keeps what it had; all others have given theirs back.
    let active = records.states.dropFirst().count { $0 == PERFKIT_RING_ACTIVE.rawValue }
    #expect(active <= 1)
    #expect(!records.states.contains(PERFKIT_RING_CLOSED.rawValue))
    #expect(records.audit.thread_slots_full == 0)
    #expect(records.starts.count == 1001)
    #expect(records.ends.count == 1001)
    #expect(Set(records.starts.map(\.serial)).count == 1001)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `a thread that ends by a system call of its own gives back what it had`() throws {
    let outcome = try AgentUnderTest.run("vanished")
    #expect(outcome.isSuccess)
    let records = outcome.records
    let said = records.events.filter { records.name($0.name) == "vanishing" }
    #expect(said.count == 3)
    // Nobody drains: their rings wait for the harness, and nobody writes into them any more. The program's
    // own thread may have one.
    #expect(records.states.count { $0 == PERFKIT_RING_CLOSED.rawValue } == 3)
    #expect(records.states.dropFirst().count { $0 == PERFKIT_RING_ACTIVE.rawValue } <= 1)
    for thread in said.map({ UInt32($0.value) }) {
      #expect(records.starts.contains { $0.tid == thread })
      #expect(records.ends.contains { $0.tid == thread })
    }
  }

  @Test func `threads of ISO C are known from their start to their end`() throws {
    let (status, capture) = try AgentUnderTest.runDrained("c11")
    #expect(status == 0)
    let said = capture.events.filter { $0.name == "tid" }
    #expect(said.count == 20)
    for event in said {
      let thread = try #require(capture.threads.first { $0.serial == event.thread })
      #expect(thread.id == Int32(event.value))
      #expect(thread.ended != nil)
    }
    #expect(capture.marksDropped == 0)
  }

  @Test func `marks stay with their thread while rings go from one thread to the next`() throws {
    var configuration = CaptureConfiguration.tests
    configuration.sampleCapacity = 32 << 10
    configuration.markCapacity = 64 << 10
    let (status, capture) = try AgentUnderTest.runDrained("tids", configuration)
    #expect(status == 0)
    #expect(capture.garbage == 0 && capture.marksDropped == 0)
    let tids = Dictionary(uniqueKeysWithValues: capture.threads.map { ($0.serial, $0.id) })
    let said = capture.events.filter { $0.name == "tid" }
    #expect(said.count > 1000)
    #expect(said.count { tids[$0.thread] != Int32($0.value) } == 0)
  }

  @Test func `the ticker goes to another CPU when the busy thread is on its own`() throws {
    let outcome = try AgentUnderTest.run("met-ticker")
    #expect(outcome.isSuccess)
    // With one CPU there is nowhere to go.
    guard let cpus = outcome.records.said("cpus"), cpus > 1 else { return }
    #expect(try #require(outcome.records.said("gone")) >= 15)
  }

  @Test func `a thread that may call next to nothing is sampled and not killed`() throws {
    let outcome = try AgentUnderTest.run("confined")
    #expect(outcome.isSuccess)
    let serials = outcome.records.starts.map(\.serial)
    // The program's own thread begins first, the confined one second.
    let samples = outcome.records.samples.filter { serials.dropFirst().contains($0.fixed.serial) }
    #expect(samples.count > 10)
  }

  @Test func `a thread that begins after its process has changed its user is sampled`() throws {
    let outcome = try AgentUnderTest.run("hidden")
    #expect(outcome.status == 0)
    let tid = UInt32(try #require(outcome.records.said("hidden.tid")))
    #expect(outcome.records.samples.count { $0.fixed.tid == tid } > 20)
  }

  @Test(.enabled(if: geteuid() == 0, "only the superuser has capabilities to keep"))
  func `a program that changes user and groups by kept capabilities goes on, and is sampled`()
    throws
  {
    let outcome = try AgentUnderTest.run("capable")
    #expect(outcome.status == 0)
    let records = outcome.records
    let since = try #require(records.events.last { records.name($0.name) == "changed" })
    #expect(records.samples.count { $0.fixed.record.time_ns > since.record.time_ns } > 20)
  }

  @Test(arguments: ["renumbered", "renumbered-file"])
  func `a program that takes the sampler's descriptors keeps them, and is sampled`(
    command: String
  ) throws {
    let outcome = try AgentUnderTest.run(command)
    #expect(outcome.status == 0)
    let records = outcome.records
    let tid = UInt32(try #require(records.said("hidden.tid")))
    #expect(records.samples.count { $0.fixed.tid == tid } > 20)
    let since = try #require(records.events.last { records.name($0.name) == "renumbered" })
    #expect(
      records.samples.count {
        $0.fixed.serial == records.mainSerial && $0.fixed.record.time_ns > since.record.time_ns
      } > 20)
  }

  @Test func `a program that filters all of its threads is not killed, and sampled until then`()
    throws
  {
    let outcome = try AgentUnderTest.run("filtered")
    #expect(outcome.isSuccess)
    #expect(outcome.records.audit.filtered == 1)
    #expect(outcome.records.samples.count > 10)
    // The ends of its threads are written, as far as it was sampled.
    #expect(outcome.records.ends.count == outcome.records.starts.count)
  }

  @Test func `a program that asks whether it could filter its threads is sampled on`() throws {
    let outcome = try AgentUnderTest.run("probed")
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.filtered == 0)
    #expect(outcome.records.samples.count >= 20)
  }

  @Test func `a program whose filter has killed the ticker goes on`() throws {
    // It ends itself by an alarm when it hangs.
    #expect(try AgentUnderTest.run("killed-ticker").status == 0)
  }

  @Test func `a program with one thread enters namespaces as it does alone`() throws {
    let outcome = try AgentUnderTest.run("namespaces")
    #expect(outcome.status == 0)
    let records = outcome.records
    let since = try #require(records.events.last { records.name($0.name) == "entered" })
    #expect(records.samples.count { $0.fixed.record.time_ns > since.record.time_ns } > 20)
    #expect(records.audit.ticker_failed == 0)
  }

  @Test func `a program whose children have processes of their own is sampled until then`() throws {
    let outcome = try AgentUnderTest.run("other-processes")
    #expect(outcome.status == 0)
    // Nobody may where namespaces are forbidden.
    let isOther = try #require(outcome.records.said("other")) == 1
    #expect(outcome.records.audit.ticker_failed == (isOther ? UInt64(EINVAL) : 0))
    #expect(outcome.records.samples.count >= 20)
  }

  @Test(.enabled(if: geteuid() == 0, "only the superuser has real time"))
  func `a thread of real time does not wait for the ticker by turning`() throws {
    let outcome = try AgentUnderTest.run("real-time")
    // A machine that lets nobody have real time has nothing to test.
    guard outcome.status != 77 << 8 else { return }
    #expect(outcome.status == 0)
    // By its own clock, in which it does nothing else.
    #expect(try #require(outcome.records.said("taken")) < 20_000_000)
  }

  @Test func `each thread that there is no room for is counted once`() throws {
    let records = try AgentUnderTest.run("multitude").records
    // 1,100 and the first, of which 1,024 are known.
    #expect(records.audit.thread_slots_full == 77)
    #expect(records.audit.ticks >= 500)
  }

  @Test(
    .enabled(if: geteuid() == 0, "only the superuser has capabilities to keep"),
    arguments: ["capable-child", "filtered-child", "renamed-child"])
  func `a child that changes what it may before it is followed goes on`(command: String) throws {
    // The thread that would follow it is there for a moment.
    #expect(try AgentUnderTest.runWithoutHarness(command) == [0, 0])
  }

  @Test func `a hundred busy threads are sampled, each in a ring of its own`() throws {
    var configuration = CaptureConfiguration.coldStart(seed: 7)
    configuration.spareRings = CaptureConfiguration.usualSpareRings
    let layout = try CaptureLayout(configuration)
    // 8 MiB have room for fewer than thirty.
    #expect(layout.filledRings < 30 && layout.ringCount > 450)
    let (status, capture) = try AgentUnderTest.runDrained("crowd", configuration)
    #expect(status == 0)
    #expect(capture.audit.threadsWithoutRing == 0)
    #expect(capture.garbage == 0)
    // A signal may reach each of them at its very end, when it has no ring any more.
    #expect(capture.audit.samplesDropped <= 100)
    let profile = try Self.profile(of: capture)
    #expect(!profile.audit.warnings.contains { $0.code == "sampler.threads" })
    var sampled: Set<UInt32> = []
    try capture.spool?.forEach { (_, bytes) throws(PerfProfileError) in
      sampled.insert(bytes.loadUnaligned(as: perfkit_sample.self).serial)
    }
    // Each has a ring for its mark. The ticker may be kept waiting by them, but not for all of 8 ms each.
    #expect(capture.events.count { $0.name == "crowd" } == 100)
    #expect(sampled.count > layout.filledRings)
  }

  private static func profile(of capture: Capture) throws -> Profile {
    let builder = ProfileBuilder(tools: ToolPaths(symbolizer: nil, demangler: nil))
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    return builder.finish()
  }

  @Test(arguments: geteuid() == 0 ? ["blocked", "blocked-grouped"] : ["blocked"])
  func `a thread that blocks the signal is found and reported`(command: String) throws {
    let outcome = try AgentUnderTest.run(command)
    #expect(outcome.isSuccess)
    let records = outcome.records
    let tid = UInt32(try #require(records.said("blocking.tid")))
    #expect(records.audit.threads_blocking == 1)
    #expect(records.audit.signals_blocked >= 1)
    // It may have been met before it blocked.
    #expect(records.samples.count { $0.fixed.tid == tid } <= 1)
    let end = try #require(records.ends.first { $0.tid == tid })
    #expect(end.cpu_ns > 0)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `a thread that pthread did not make is sampled`() throws {
    let outcome = try AgentUnderTest.run("strangers")
    #expect(outcome.isSuccess)
    let records = outcome.records
    let tid = UInt32(try #require(records.said("stranger.tid")))
    #expect(records.starts.contains { $0.tid == tid })
    #expect(records.ends.contains { $0.tid == tid })
    let own = records.samples.filter { $0.fixed.tid == tid }
    #expect(own.count > 10)
    // Nobody knows its stack's bounds.
    #expect(own.allSatisfy { $0.isOnAlternateStack && $0.fixed.stack_bytes > 0 })
  }

  @Test func `a program without a segment runs as if the agent were not there`() throws {
    #expect(try AgentUnderTest.runWithoutSegment("marks") == 0)
    #expect(try AgentUnderTest.runWithoutSegment("marks", variable: "") == 0)
    #expect(try AgentUnderTest.runWithoutSegment("marks", variable: "2x") == 0)
    #expect(try AgentUnderTest.runWithoutSegment("marks", variable: "999") == 0)
    // Standard input is open, but no segment.
    #expect(try AgentUnderTest.runWithoutSegment("marks", variable: "0") == 0)
  }

  @Test(arguments: [
    "magic", "segment_bytes", "names_offset", "rings_offset", "ring_bytes", "interval_ns",
  ])
  func `a header that makes no sense is refused`(field: String) throws {
    let fields: [String: WritableKeyPath<perfkit_segment, UInt64>] = [
      "magic": \.magic, "segment_bytes": \.segment_bytes, "names_offset": \.names_offset,
      "rings_offset": \.rings_offset, "ring_bytes": \.ring_bytes, "interval_ns": \.interval_ns,
    ]
    let path = try #require(fields[field])
    let outcome = try AgentUnderTest.run("marks") { $0.pointee[keyPath: path] = .max - 7 }
    #expect(outcome.isSuccess)
    #expect(outcome.records.agentVersion == 0)
    #expect(outcome.records.frames.isEmpty)
  }

  @Test func `another version of the format is refused`() throws {
    let outcome = try AgentUnderTest.run("marks") { $0.pointee.version += 1 }
    #expect(outcome.isSuccess)
    #expect(outcome.records.agentVersion == 0)
  }
}
