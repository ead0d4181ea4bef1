import CPerfFormat
import Testing

@testable import PerfProfile

/// Copies of stacks.
@Suite struct StackTests {
  @Test func `a complete stack is not marked as truncated`() throws {
    var configuration = CaptureConfiguration.tests
    configuration.stackBytes = 65_536
    let records = try AgentUnderTest.run("deep", configuration).records
    #expect(records.samples.allSatisfy { !$0.isTruncated && $0.fixed.stack_missing == 0 })
    let begin = try #require(records.starts.first)
    for sample in records.samples {
      #expect(sample.fixed.stack_address + UInt64(sample.fixed.stack_bytes) == begin.stack_high)
    }
    // 200 frames of at least 16 words each. Some samples are taken while sampling is switched on or
    // off.
    #expect(records.samples.count { $0.fixed.stack_bytes > 200 * 128 } > 10)
  }

  @Test func `a stack that does not fit is truncated and has the number of missing bytes`() throws {
    var configuration = CaptureConfiguration.tests
    configuration.stackBytes = 512
    let records = try AgentUnderTest.run("deep", configuration).records
    #expect(records.samples.count > 10)
    let begin = try #require(records.starts.first)
    for sample in records.samples {
      let all = begin.stack_high - sample.fixed.stack_address
      #expect(UInt64(sample.fixed.stack_bytes) == min(all, 512))
      #expect(UInt64(sample.fixed.stack_missing) == all - min(all, 512))
      #expect(sample.isTruncated == (all > 512))
    }
    #expect(records.samples.count(where: \.isTruncated) > 10)
  }

  @Test func `an alternate stack is copied to its end`() throws {
    let outcome = try AgentUnderTest.run("alternate")
    #expect(outcome.isSuccess)
    let low = UInt64(try #require(outcome.records.said("alternate.low")))
    let alternate = outcome.records.samples.filter(\.isOnAlternateStack)
    #expect(alternate.count > 5)
    for sample in alternate {
      #expect((low..<(low + 65_536)).contains(sample.fixed.stack_address))
      let end = sample.fixed.stack_address + UInt64(sample.fixed.stack_bytes)
      #expect(end == low + 65_536 || sample.isTruncated)
    }
    #expect(outcome.records.samples.contains { !$0.isOnAlternateStack })
  }

  @Test func `an unknown stack is read up to unreadable memory`() throws {
    let outcome = try AgentUnderTest.run("coroutine")
    #expect(outcome.isSuccess)
    let high = UInt64(try #require(outcome.records.said("coroutine.high")))
    let samples = outcome.records.samples.filter(\.isOnAlternateStack)
    #expect(samples.count > 5)
    for sample in samples {
      #expect(sample.fixed.stack_address + UInt64(sample.fixed.stack_bytes) == high)
      #expect(!sample.isTruncated)
    }
  }

  @Test func `the records of a program that crashes are readable`() throws {
    let outcome = try AgentUnderTest.run("killed")
    // __builtin_trap is SIGILL on x86-64 and SIGTRAP on arm64.
    #expect([4, 5].contains(outcome.status & 0x7F))
    #expect(outcome.records.said("about.to.die") == 42)
    #expect(outcome.records.crashes.map(\.fixed.signal) == [UInt64(outcome.status & 0x7F)])
    #expect(outcome.records.samples.count > 5)
    #expect(!outcome.records.modules.isEmpty)
  }

  @Test func `a full ring drops and counts samples and stays readable`() throws {
    var configuration = CaptureConfiguration.tests
    configuration.sampleCapacity = 16 << 10
    let records = try AgentUnderTest.run("deep", configuration).records
    #expect(records.samples.count >= 2)
    #expect(records.audit.samples_dropped > 0)
    #expect(records.dropped == records.audit.samples_dropped)
  }
}
