import Testing

@testable import PerfProfile

/// The times in which a thread did not run.
struct EventPausesTests {
  @Test func `a pause lasts from the stop to the resumption and belongs to its sample`() {
    var pauses = EventPauses()
    pauses.sampled(at: 99)
    pauses.stop(at: 100, isPreempted: false)
    pauses.resume(at: 350)
    pauses.sampled(at: 499)
    pauses.stop(at: 500, isPreempted: true)
    pauses.resume(at: 520)
    #expect(
      pauses.sampled == [
        99: .init(weight: 250, isPreempted: false), 499: .init(weight: 20, isPreempted: true),
      ])
  }

  @Test func `samples of several pauses that are read at once belong to their stops`() {
    var pauses = EventPauses()
    for time in [300, 100, 500] { pauses.sampled(at: UInt64(time)) }
    for (stop, length) in [(101, 10), (302, 20), (504, 30)] {
      pauses.stop(at: UInt64(stop), isPreempted: false)
      pauses.resume(at: UInt64(stop + length))
    }
    #expect(pauses.sampled.mapValues(\.weight) == [100: 10, 300: 20, 500: 30])
  }

  @Test func `sampled pauses stand for those without a sample of the same kind`() {
    var pauses = EventPauses()
    for (index, hasSample) in [true, false, false, true].enumerated() {
      let start = UInt64(1000 * (index + 1))
      if hasSample { pauses.sampled(at: start) }
      pauses.stop(at: start, isPreempted: false)
      pauses.resume(at: start + 100)
    }
    pauses.stop(at: 9000, isPreempted: true)
    pauses.resume(at: 9500)
    // 400 ns of waits; the loss of the CPU has no sample and no weight.
    #expect(
      pauses.sampled == [
        1000: .init(weight: 200, isPreempted: false), 4000: .init(weight: 200, isPreempted: false),
      ])
  }

  @Test func `a resumption that is read before its stop ends the pause`() {
    var pauses = EventPauses()
    pauses.resume(at: 300)
    pauses.sampled(at: 100)
    pauses.stop(at: 100, isPreempted: false)
    #expect(pauses.sampled[100]?.weight == 200)
    // The next stop has no resumption yet.
    pauses.sampled(at: 400)
    pauses.stop(at: 400, isPreempted: false)
    #expect(pauses.sampled[400] == nil)
    pauses.end(at: 1000)
    #expect(pauses.sampled[400]?.weight == 600)
  }

  @Test func `a thread that only resumes has no pause`() {
    var pauses = EventPauses()
    pauses.resume(at: 10)
    pauses.end(at: 20)
    #expect(pauses.sampled.isEmpty)
  }
}

/// The limit of samples of switches.
struct SwitchAllowanceTests {
  private let second: UInt64 = 1_000_000_000

  @Test func `4,000 switches a second and a burst of 1,000 are sampled each`() {
    var allowance = SwitchAllowance(at: 0)
    var hasGrown = allowance.spend(1000, at: 0)
    for tick in 1...1000 {
      hasGrown = allowance.spend(4, at: UInt64(tick) * 1_000_000) || hasGrown
    }
    hasGrown = allowance.spend(1000, at: 60 * second) || hasGrown
    #expect(!hasGrown && allowance.period == 1)
  }

  @Test func `more switches raise the period, up to the largest`() {
    var allowance = SwitchAllowance(at: 0)
    var periods: [UInt32] = []
    // 100,000 switches a second, then what remains of them by the period.
    for tick in 1...2000 {
      let samples = 500 / Int(allowance.period)
      if allowance.spend(samples, at: UInt64(tick) * 5_000_000) { periods.append(allowance.period) }
    }
    // 100,000 / 7 is above 4,000 a second, 100,000 / 53 below.
    #expect(periods == [53])
    for tick in 2001...2010 { _ = allowance.spend(10_000, at: UInt64(tick) * 5_000_000) }
    #expect(allowance.period == 3001)
  }
}
