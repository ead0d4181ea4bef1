import PerfRunner
import PerfTestSupport
import Synchronization
import Testing

@testable import PerfGate

struct MeasuringClockTests {
  private static func settings(maxTime seconds: UInt64?) -> MeasuringSettings {
    var settings = MeasuringSettings()
    settings.maxTime = seconds.map { $0 * 1_000_000_000 }
    return settings
  }

  @Test func `the time of builds does not count as time of measuring`() throws {
    let began = ContinuousClock.now
    let clock = MeasuringClock()
    var inside = Duration.zero
    clock.excluding {
      let start = ContinuousClock.now
      while inside == .zero { inside = start.duration(to: .now) }
    }
    #expect(clock.elapsed <= began.duration(to: .now) - inside)

    let repository = try TestRepository()
    let measuring = TestMeasuring(in: repository.folder).measuring
    #expect(measuring.clock.built == .zero)
    _ = try BuiltRevisions(measuring: measuring) { checkout in
      (try checkout.revision("HEAD"), try checkout.revision("HEAD"))
    }
    #expect(measuring.clock.built > .zero)
  }

  @Test func `the remaining time is divided evenly among the remaining measurements`() throws {
    let start = ContinuousClock.now
    let passed = Mutex(Duration.zero)
    func pass(_ seconds: Int) { passed.withLock { $0 += .seconds(seconds) } }
    let folder = try TemporaryFolder()
    let measuring = TestMeasuring(
      in: folder, Self.settings(maxTime: 9),
      clock: MeasuringClock { start + passed.withLock { $0 } }
    ).measuring
    measuring.clock.excluding { pass(100) }
    let first = TimeShare(of: measuring, among: 3)
    #expect(first.time == .seconds(3))
    pass(3)
    #expect(!first.isOver())
    measuring.clock.excluding { pass(50) }
    #expect(!first.isOver())
    pass(1)
    #expect(first.isOver())
    // The others share what the first took too long: 9 - 4 seconds are left for two.
    let second = TimeShare(of: measuring, among: 2)
    #expect(second.time == .seconds(2.5) && !second.isOver())
    // The time that the second does not need is left for the last.
    pass(1)
    let third = TimeShare(of: measuring, among: 1)
    #expect(third.time == .seconds(4) && !measuring.isOutOfTime())
    pass(5)
    #expect(third.isOver() && measuring.isOutOfTime())
    let unlimited = TestMeasuring(in: folder, Self.settings(maxTime: nil)).measuring
    #expect(TimeShare(of: unlimited, among: 2).time == nil)
  }
}
