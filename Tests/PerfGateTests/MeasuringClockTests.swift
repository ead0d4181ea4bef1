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
    func limit(_ share: Duration?) -> PairLimit {
      PairLimit(PairingSettings(), measuring, share: share)
    }
    let share = measuring.timeShare(among: 3)
    let first = limit(share)
    #expect(share == .seconds(3))
    pass(3)
    #expect(!first.isOver(after: 1))
    measuring.clock.excluding { pass(50) }
    #expect(!first.isOver(after: 1))
    pass(1)
    #expect(first.isOver(after: 1))
    // The others share what the first took too long: 9 - 4 seconds are left for two.
    let second = measuring.timeShare(among: 2)
    #expect(second == .seconds(2.5) && !limit(second).isOver(after: 1))
    // The time that the second does not need is left for the last.
    pass(1)
    let third = measuring.timeShare(among: 1)
    let last = limit(third)
    #expect(third == .seconds(4) && !measuring.isOutOfTime())
    pass(5)
    #expect(last.isOver(after: 1) && measuring.isOutOfTime())
    let unlimited = TestMeasuring(in: folder, Self.settings(maxTime: nil)).measuring
    #expect(unlimited.timeShare(among: 2) == nil)
  }

  @Test func `a comparison without limits ends after a minute or forty pairs, whichever is later`()
    throws
  {
    let start = ContinuousClock.now
    let passed = Mutex(Duration.zero)
    let measuring = TestMeasuring(
      in: try TemporaryFolder(), Self.settings(maxTime: nil),
      clock: MeasuringClock { start + passed.withLock { $0 } }
    ).measuring
    func limit(_ settings: PairingSettings) -> PairLimit {
      PairLimit(settings, measuring, share: nil)
    }
    let (usual, more, few) = (
      limit(PairingSettings()), limit(PairingSettings(minPairs: 50)),
      limit(PairingSettings(maxPairs: 200))
    )
    #expect(usual.mostPairs == 2560 && few.mostPairs == 200)
    // A minute has time for 60 pairs of a second, the last of which begins in time.
    #expect(usual.pairsLeft(after: 0, timePerPair: 1_000_000_000) == 61)
    #expect(usual.pairsLeft(after: 5, timePerPair: 30_000_000_000) == 35)
    #expect(few.pairsLeft(after: 20, timePerPair: 1_000_000_000) == 180)
    #expect(!usual.isOver(after: 300))
    passed.withLock { $0 += .seconds(61) }
    #expect(!usual.isOver(after: 39) && usual.isOver(after: 40))
    #expect(!more.isOver(after: 49) && more.isOver(after: 50))
    // With a number of pairs alone there is no limit of time.
    #expect(!few.isOver(after: 199))
  }
}
