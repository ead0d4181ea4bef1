import CPerfFormat
import Glibc
import PerfModel
import Testing

@testable import PerfProfile

/// Threads that come and go, and processes with restrictions.
@Suite struct ThreadTests {
  @Test func `a thousand threads return their rings`() throws {
    let outcome = try AgentUnderTest.run("churn")
    #expect(outcome.isSuccess)
    let records = outcome.records
    #expect(records.states.count < 20)
    // Only the program's first thread keeps its ring.
    let active = records.states.dropFirst().count { $0 == PERFKIT_RING_ACTIVE.rawValue }
    #expect(active <= 1)
    #expect(!records.states.contains(PERFKIT_RING_CLOSED.rawValue))
    #expect(records.audit.thread_slots_full == 0)
    #expect(records.starts.count == 1001)
    #expect(records.ends.count == 1001)
    #expect(Set(records.starts.map(\.serial)).count == 1001)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `a thread that ends by a system call loses its ring and its slot`() throws {
    let outcome = try AgentUnderTest.run("vanished")
    #expect(outcome.isSuccess)
    let records = outcome.records
    let said = records.events.filter { records.name($0.name) == "vanishing" }
    #expect(said.count == 3)
    // Their rings are closed, and wait for the harness to drain them. The first thread may have a
    // ring as well.
    #expect(records.states.count { $0 == PERFKIT_RING_CLOSED.rawValue } == 3)
    #expect(records.states.dropFirst().count { $0 == PERFKIT_RING_ACTIVE.rawValue } <= 1)
    for thread in said.map({ UInt32($0.value) }) {
      #expect(records.starts.contains { $0.tid == thread })
      #expect(records.ends.contains { $0.tid == thread })
    }
  }

  @Test func `marks keep their thread when a ring is reused`() throws {
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

  @Test func `the ticker leaves the CPU of a busy thread`() throws {
    let outcome = try AgentUnderTest.run("met-ticker")
    #expect(outcome.isSuccess)
    // With one CPU there is no other.
    guard let cpus = outcome.records.said("cpus"), cpus > 1 else { return }
    #expect(try #require(outcome.records.said("gone")) >= 15)
  }

  @Test func `a program whose thread installs a filter is not killed and is sampled until then`()
    throws
  {
    let outcome = try AgentUnderTest.run("confined")
    #expect(outcome.isSuccess)
    #expect(outcome.records.audit.stopped == UInt64(PERFKIT_STOP_FILTER.rawValue))
    #expect(outcome.records.samples.count > 10)
  }

  @Test func `a thread that begins after its process has changed the user is sampled`() throws {
    let outcome = try AgentUnderTest.run("hidden")
    #expect(outcome.status == 0)
    let tid = UInt32(try #require(outcome.records.said("hidden.tid")))
    #expect(outcome.records.samples.count { $0.fixed.tid == tid } > 20)
  }

  @Test(.enabled(if: geteuid() == 0, "only the superuser has capabilities to keep"))
  func `a program that keeps capabilities for one thread is not aborted and is sampled until then`()
    throws
  {
    let outcome = try AgentUnderTest.run("capable")
    #expect(outcome.status == 0)
    let records = outcome.records
    #expect(records.audit.stopped == UInt64(PERFKIT_STOP_CREDENTIALS.rawValue))
    let since = try #require(records.events.last { records.name($0.name) == "changed" })
    #expect(records.samples.count { $0.fixed.record.time_ns < since.record.time_ns } >= 10)
    #expect(records.samples.count { $0.fixed.record.time_ns > since.record.time_ns } == 0)
  }

  @Test(arguments: ["renumbered", "renumbered-file"])
  func `a program that closes and reuses the agent's descriptors keeps them and is sampled`(
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

  @Test func `a program that filters all of its threads is not killed and is sampled until then`()
    throws
  {
    let outcome = try AgentUnderTest.run("filtered")
    #expect(outcome.isSuccess)
    #expect(outcome.records.audit.stopped == UInt64(PERFKIT_STOP_FILTER.rawValue))
    #expect(outcome.records.samples.count > 10)
    // Each thread that has begun while it was sampled has an end.
    #expect(outcome.records.ends.count == outcome.records.starts.count)
  }

  @Test func `asking whether filters are supported does not end sampling`() throws {
    let outcome = try AgentUnderTest.run("probed")
    #expect(outcome.status == 0)
    #expect(outcome.records.audit.stopped == 0)
    #expect(outcome.records.samples.count >= 20)
  }

  @Test func `a program whose filter has killed the ticker continues`() throws {
    // An alarm ends a program that hangs.
    #expect(try AgentUnderTest.run("killed-ticker").status == 0)
  }

  /// By setns and unshare, each by its function and by `syscall`, and with new process ids.
  @Test(arguments: ["0", "1", "2", "3", "4"])
  func `a program with one thread enters namespaces and is sampled until then`(way: String) throws {
    let outcome = try AgentUnderTest.run("namespaces", word: way)
    #expect(outcome.status == 0)
    // The call fails with any number of threads where namespaces are forbidden.
    if try #require(outcome.records.said("entered")) == 1 {
      #expect(outcome.records.audit.stopped == UInt64(PERFKIT_STOP_NAMESPACE.rawValue))
    }
    #expect(outcome.records.audit.ticker_failed == 0)
    #expect(outcome.records.samples.count >= 10)
  }

  @Test func `a call for namespaces that fails for any process still fails`() throws {
    #expect(try AgentUnderTest.run("namespaces-refused").status == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only the superuser has real time"))
  func `a real-time thread does not spin while the ticker ends`() throws {
    let outcome = try AgentUnderTest.run("real-time")
    // 77: the machine permits no real time.
    guard outcome.status != 77 << 8 else { return }
    #expect(outcome.status == 0)
    // CPU time of the thread, which does nothing else.
    #expect(try #require(outcome.records.said("taken")) < 20_000_000)
  }

  @Test func `each thread without a slot is counted once`() throws {
    let records = try AgentUnderTest.run("multitude").records
    // 1,101 threads, and 1,024 slots.
    #expect(records.audit.thread_slots_full == 77)
    #expect(records.audit.ticks >= 500)
  }

  @Test(
    .enabled(if: geteuid() == 0, "only the superuser has capabilities to keep"),
    arguments: ["capable-child", "filtered-child", "renamed-child"])
  func `a child that restricts itself before it is followed continues`(command: String) throws {
    // For a moment the child has the thread that would follow it.
    #expect(try AgentUnderTest.runWithoutHarness(command) == [0, 0])
  }

  @Test func `each of a hundred busy threads is sampled into its ring`() throws {
    var configuration = CaptureConfiguration.coldStart(seed: 7)
    configuration.spareRings = CaptureConfiguration.usualSpareRings
    let layout = try CaptureLayout(configuration)
    // The first 8 MiB have room for fewer than thirty rings.
    #expect(layout.filledRings < 30 && layout.ringCount > 450)
    let (status, capture) = try AgentUnderTest.runDrained("crowd", configuration)
    #expect(status == 0)
    #expect(capture.audit.thread_slots_full == 0)
    #expect(capture.garbage == 0)
    // A signal may reach each thread at its very end, when it has no ring any more.
    #expect(capture.audit.samples_dropped <= 100)
    let profile = try Self.profile(of: capture)
    #expect(!profile.audit.warnings.contains { $0.code == "sampler.threads" })
    var sampled: Set<UInt32> = []
    try capture.spool?.forEach { (_, bytes) throws(PerfProfileError) in
      sampled.insert(bytes.loadUnaligned(as: perfkit_sample.self).serial)
    }
    // Each thread works for 8 ms. The ticker may get no CPU for a part of that time.
    #expect(capture.events.count { $0.name == "crowd" } == 100)
    #expect(sampled.count > layout.filledRings)
  }

  private static func profile(of capture: Capture) throws -> Profile {
    let builder = ProfileBuilder(tools: ToolPaths(symbolizer: nil, demangler: nil))
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    return builder.finish()
  }

  @Test(arguments: geteuid() == 0 ? ["blocked-raw", "blocked-grouped"] : ["blocked-raw"])
  func `a thread that blocks the signal by a system call is counted`(command: String) throws {
    let outcome = try AgentUnderTest.run(command)
    #expect(outcome.isSuccess)
    let records = outcome.records
    let tid = UInt32(try #require(records.said("blocking.tid")))
    #expect(records.audit.threads_blocking == 1)
    #expect(records.audit.signals_blocked >= 1)
    // It may have been sampled before it blocked the signal.
    #expect(records.samples.count { $0.fixed.tid == tid } <= 1)
    let end = try #require(records.ends.first { $0.tid == tid })
    #expect(end.cpu_ns > 0)
  }

  @Test(.enabled(if: AgentUnderTest.canStartAnything))
  func `a thread that clone has started is sampled`() throws {
    let outcome = try AgentUnderTest.run("strangers")
    #expect(outcome.isSuccess)
    let records = outcome.records
    let tid = UInt32(try #require(records.said("stranger.tid")))
    #expect(records.starts.contains { $0.tid == tid })
    #expect(records.ends.contains { $0.tid == tid })
    let own = records.samples.filter { $0.fixed.tid == tid }
    #expect(own.count > 10)
    // The bounds of its stack are not known.
    #expect(own.allSatisfy { $0.isOnAlternateStack && $0.fixed.stack_bytes > 0 })
  }

  @Test func `a program without a segment runs as it does without the agent`() throws {
    #expect(try AgentUnderTest.runWithoutSegment("marks") == 0)
    #expect(try AgentUnderTest.runWithoutSegment("marks", variable: "") == 0)
    #expect(try AgentUnderTest.runWithoutSegment("marks", variable: "2x") == 0)
    #expect(try AgentUnderTest.runWithoutSegment("marks", variable: "999") == 0)
    // Standard input is open, but is no segment.
    #expect(try AgentUnderTest.runWithoutSegment("marks", variable: "0") == 0)
  }

  @Test(arguments: ["magic", "segment_bytes"])
  func `a segment with an invalid header is rejected`(field: String) throws {
    let fields: [String: WritableKeyPath<perfkit_segment, UInt64>] = [
      "magic": \.magic, "segment_bytes": \.segment_bytes,
    ]
    let path = try #require(fields[field])
    let outcome = try AgentUnderTest.run("marks") { $0.pointee[keyPath: path] = .max - 7 }
    #expect(outcome.isSuccess)
    #expect(outcome.records.agentVersion == 0)
    #expect(outcome.records.frames.isEmpty)
  }

  @Test func `a segment of another format version is rejected`() throws {
    let outcome = try AgentUnderTest.run("marks") { $0.pointee.version += 1 }
    #expect(outcome.isSuccess)
    #expect(outcome.records.agentVersion == 0)
  }
}
