import Glibc
import PerfModel
import Testing

@testable import PerfRunner

struct PressureRampTests {
  private let second: UInt64 = 1_000_000_000

  @Test(arguments: [
    (0.0, PressureLevel.normal), (0.4999, .normal), (0.50, .warning), (0.6999, .warning),
    (0.70, .urgent), (0.8499, .urgent), (0.85, .critical), (1.2, .critical),
  ])
  func `pressure levels begin at 50, 70 and 85 percent`(fraction: Double, level: PressureLevel) {
    #expect(PressureLevel(fraction: fraction) == level)
  }

  @Test func `a step brings footprint plus ballast to its level`() {
    var ramp = PressureRamp(
      steps: [.init(at: 0, level: 0.6, hold: 2 * second)], budget: 1000)
    // 0.6 of 1000 is 600, of which the worker has 250.
    #expect(ramp.ballast(at: 0, footprint: 250) == 350)
  }

  @Test func `memory that the worker frees during a step relieves the pressure`() {
    var ramp = PressureRamp(
      steps: [.init(at: 0, level: 0.6, hold: 2 * second)], budget: 1000)
    #expect(ramp.ballast(at: 0, footprint: 250) == 350)
    // The footprint shrinks by 100 and the ballast stays, so the sum falls to 500.
    #expect(ramp.ballast(at: second, footprint: 150) == 350)
  }

  @Test func `the ballast changes linearly between two steps`() {
    var ramp = PressureRamp(
      steps: [
        .init(at: 0, level: 0.4, hold: second), .init(at: 3 * second, level: 0.8, hold: second),
      ], budget: 1000)
    #expect(ramp.ballast(at: 0, footprint: 100) == 300)
    // Half way between seconds 1 and 3: 300 + (700 - 300) / 2.
    #expect(ramp.ballast(at: 2 * second, footprint: 100) == 500)
    #expect(ramp.ballast(at: 3 * second, footprint: 100) == 700)
  }

  @Test func `the ballast of the last step stays`() {
    var ramp = PressureRamp(steps: [.init(at: 0, level: 0.5, hold: second)], budget: 1000)
    _ = ramp.ballast(at: 0, footprint: 0)
    #expect(ramp.ballast(at: 9 * second, footprint: 0) == 500)
  }

  @Test func `a worker above the level causes no ballast`() {
    var ramp = PressureRamp(steps: [.init(at: 0, level: 0.5, hold: second)], budget: 1000)
    #expect(ramp.ballast(at: 0, footprint: 800) == 0)
  }

  @Test func `ballast allocates and releases physical memory`() {
    let ballast = Ballast(capacity: 1 << 20)
    #expect(ballast.resize(to: 1 << 19, step: 1 << 18) == 1 << 18)
    #expect(ballast.resize(to: 1 << 19, step: 1 << 18) == 1 << 19)
    // The kernel releases whole pages.
    let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
    #expect(ballast.resize(to: 2 * page - 1, step: 1 << 18) == page)
    // The ballast never exceeds its capacity.
    #expect(ballast.resize(to: 1 << 30, step: 1 << 30) == 1 << 20)
  }
}
