import CPerfFormat
import Glibc
import Testing

@testable import PerfProfile

/// Marks, names and modules.
@Suite struct MarkTests {
  @Test func `every kind of mark is recorded with its values`() throws {
    let outcome = try AgentUnderTest.run("marks")
    #expect(outcome.isSuccess)
    let records = outcome.records
    #expect(records.agentVersion == PERFKIT_FORMAT_VERSION)
    #expect(records.intervals.map(\.interval).sorted() == [0, 1])
    #expect(records.intervals.allSatisfy { records.name($0.name) == "fling" })
    #expect(records.intervals.allSatisfy { $0.refresh_mhz == 120_000 })
    #expect(records.intervals.allSatisfy { $0.record.time_ns == 1000 })
    #expect(records.intervals.allSatisfy { UInt32($0.record.flags) == PERFKIT_INTERVAL_PACED })
    #expect(records.intervalEnds.map(\.record.time_ns) == [1700, 1700])
    let frame = try #require(records.frames.first)
    #expect(frame.index == 7 && frame.vsync == 3 && frame.cpu_ns == 55)
    #expect(frame.woken_ns == 1001 && frame.began_ns == 1002 && frame.record.time_ns == 1300)
    let phase = try #require(records.phases.first)
    // The phase began in frame 7 and ended after it.
    #expect(phase.frame == 8 && phase.began_ns == 1100 && phase.record.time_ns == 1400)
    #expect(records.signposts.map(\.frame) == [8, 8])
    #expect(records.counters.map(\.value) == [0.5, 0.5])
    #expect(records.events.map(\.value) == [-2, -2])
  }

  @Test(arguments: [true, false])
  func `a span tells that its thread did not begin it, if the harness asks for it`(
    asks: Bool
  ) throws {
    var configuration = CaptureConfiguration.tests
    (configuration.interval, configuration.timesSpans) = (0, asks)
    let (status, capture) = try AgentUnderTest.runDrained("detached", configuration)
    #expect(status == 0)
    #expect(capture.phases.map(\.isDetached) == [asks, false])
    // Without a ticker there are no records of threads.
    #expect(capture.threads.isEmpty && capture.markers == [1: capture.process])
  }

  @Test func `names are rejected when their area is full`() throws {
    var configuration = CaptureConfiguration.tests
    configuration.namesBytes = 4096
    let outcome = try AgentUnderTest.run("names", configuration)
    #expect(outcome.isSuccess)
    // 4 + 200 bytes take 208 with padding: 19 of them fit 4,096, and "x" needs no more than 8.
    #expect(outcome.records.said("x") == 19)
  }

  @Test(.enabled(if: geteuid() == 0, "only the superuser may leave the root folder"))
  func `a program that loses /proc keeps its path and its samples`() throws {
    let outcome = try AgentUnderTest.run("chrooted")
    #expect(outcome.status == 0)
    let lists = outcome.records.modules.filter {
      UInt32($0.fixed.record.flags) & PERFKIT_MODULE_FIRST != 0
    }
    #expect(lists.count == 2)
    #expect(lists.allSatisfy { $0.path.hasSuffix("/target") })
    #expect(outcome.records.samples.count > 100)
  }

  @Test func `a module whose notes are not mapped is listed without a build id`() throws {
    let outcome = try AgentUnderTest.run("modules-edited")
    #expect(outcome.isSuccess)
    let library = try #require(
      outcome.records.modules.first { $0.path.contains("perfkit-edited-") })
    #expect(library.fixed.build_id_bytes == 0)
    #expect(outcome.records.samples.count > 20)
  }

  @Test func `loading a library writes the list of modules again`() throws {
    let outcome = try AgentUnderTest.run("modules")
    #expect(outcome.isSuccess)
    let modules = outcome.records.modules
    let lists = modules.indices.filter {
      UInt32(modules[$0].fixed.record.flags) & PERFKIT_MODULE_FIRST != 0
    }
    #expect(lists.count == 2)
    let program = try #require(modules.first)
    #expect(program.path.hasSuffix("/target"))
    #expect(program.fixed.low < program.fixed.high)
    let first = modules[..<(lists.last ?? 0)].map(\.path)
    let second = modules[(lists.last ?? 0)...].map(\.path)
    #expect(second.count == first.count + 1)
    #expect(second.contains { $0.contains("libutil") || $0.contains("libresolv") })
    #expect(Set(first).isSubset(of: Set(second)))
    // The end of the first list's validity is known to a few milliseconds.
    let times = ["loading", "loaded"].map { name in
      outcome.records.events.last { outcome.records.name($0.name) == name }?.record.time_ns ?? 0
    }
    let later = modules[lists.last ?? 0].fixed
    #expect(program.fixed.record.time_ns < later.before_ns)
    #expect(later.before_ns < times[1] && times[0] < later.record.time_ns)
    // The linker adds a build id to every library of the system.
    let library = try #require(modules.first { $0.path.contains("libc.so") })
    #expect(library.fixed.build_id_bytes >= 8)
  }
}
