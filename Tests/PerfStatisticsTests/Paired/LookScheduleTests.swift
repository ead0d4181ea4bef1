import Testing

@testable import PerfStatistics

struct LookScheduleTests {
  /// The numbers of pairs of the later looks: twice the last but one, from 28 and 40 on.
  let later = [56, 80, 112, 160, 224, 320, 448, 640, 896, 1280, 1792, 2560]

  @Test
  func `one gating metric has five first looks and later ones at growing distances`() throws {
    let schedule = try LookSchedule(metrics: 1)
    #expect(schedule.error == 0.02)
    #expect(schedule.looks.map(\.pairs) == [11, 14, 20, 28, 40] + later)
    // For 11 signs, the largest two-sided p below the level 0.00291 is that of T+ <= 1: the sums 0
    // and 1 have one pattern each, so 2 * 2/2048. (T+ <= 2, with one more, would be 0.00293.)
    #expect(schedule.looks[0].changeError == 4 / 2048.0)
    #expect(schedule.looks.allSatisfy { $0.equivalenceError > $0.changeError })
  }

  @Test
  func `a boundary that no sign pattern reaches moves the first look`() throws {
    // Five metrics share half of 2 %: 0.00058 per look, and 11 pairs reach at best 2^-10 = 0.00098.
    let five = try LookSchedule(metrics: 5)
    #expect(five.looks.map(\.pairs) == [12, 14, 20, 28, 40] + later)
    #expect(five.looks[0].changeError == 0x1p-11)
    // A hundred metrics: 0.000027 per look, and 2^-16 = 0.000015. The look at 14 is before the
    // first one.
    let hundred = try LookSchedule(metrics: 100)
    #expect(hundred.looks.map(\.pairs) == [17, 20, 28, 40] + later)
  }

  @Test(arguments: [1, 5, 17, 100, 1000])
  func `all looks together spend at most the error`(metrics: Int) throws {
    let schedule = try LookSchedule(metrics: metrics)
    let (first, rest) = (
      schedule.looks.filter { $0.pairs <= 40 }, schedule.looks.filter { $0.pairs > 40 }
    )
    // The first looks spend half: their table is simulated, and no more than each alone would.
    let later = rest.reduce(0) { $0 + $1.changeError }
    let distribution = schedule.looks.reduce(0) { $0 + $1.distributionError }
    #expect(later <= 0.3 * schedule.error && later > 0.27 * schedule.error)
    #expect(distribution <= 0.2 * schedule.error && distribution > 0.18 * schedule.error)
    #expect(first.allSatisfy { $0.changeError <= 0.5 * schedule.error })
    #expect(schedule.error <= 0.02 / Double(metrics) * (1 + 1e-9))
    // The distribution is tested from the look at 20 pairs on.
    #expect(schedule.looks.allSatisfy { ($0.distributionError > 0) == ($0.pairs >= 20) })
    // Equivalence spends two of its five percent at the later looks.
    #expect(rest.reduce(0) { $0 + $1.equivalenceError } <= 0.02)
  }

  @Test
  func `an error between two tabulated ones uses the smaller one`() throws {
    #expect(try LookSchedule(metrics: 17) == LookSchedule(metrics: 20))
    #expect(try LookSchedule(error: 0.5) == LookSchedule(error: 0.02))
  }

  @Test
  func `an error beyond the tables is split equally`() throws {
    let schedule = try LookSchedule(error: 1e-7)
    // 1e-8 per look; 2^-27 = 7.5e-9 is the first smaller power.
    #expect(schedule.looks.map(\.pairs) == [28, 40] + later)
    #expect(schedule.looks.reduce(0) { $0 + $1.changeError + $1.distributionError } <= 1e-7)
  }

  @Test
  func `an error outside of 0 to 1 is refused`() {
    #expect(throws: StatisticsError.self) { try LookSchedule(error: 0) }
    #expect(throws: StatisticsError.self) { try LookSchedule(error: .nan) }
  }

  @Test(arguments: LookSchedule.boundaries)
  func `each boundary can be reached at its first look`(
    boundary: LookSchedule.Boundary
  ) {
    #expect(LookSchedule.pairsNeeded(boundary.level) <= boundary.first)
    // A level equal to the whole error would be too large, and an equal part of it smaller than
    // needed.
    let (error, looks) = (
      boundary.error * LookSchedule.firstShare, LookSchedule.pairs(from: boundary.first).count
    )
    #expect(boundary.level < error && boundary.level > error / Double(looks))
    #expect(LookSchedule.equivalenceLevels[boundary.first] != nil)
  }

  @Test
  func `a small simulation reproduces the errors of the tables`() throws {
    // With 3,000 runs the standard error of 0.01 is 0.0018, of 0.03 it is 0.0031.
    var simulation = NullSimulation(looks: LookSchedule.pairs(from: 11))
    var generator = SeededGenerator(seed: 5)
    simulation.run(3000, &generator)
    let boundary = try #require(LookSchedule.boundaries.first)
    #expect((simulation.error(atLevel: boundary.level) - 0.01).magnitude < 4 * 0.0018)
    let equivalence = try #require(LookSchedule.equivalenceLevels[11])
    #expect((simulation.error(atLevel: equivalence) - 0.03).magnitude < 4 * 0.0031)
    let level = try #require(simulation.level(forError: 0.05))
    #expect(simulation.error(atLevel: level) <= 0.05)
    #expect((0.008...0.02).contains(level))
    #expect(simulation.level(forError: 1e-6) == nil)
  }
}
