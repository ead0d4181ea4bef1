import Testing

@testable import PerfStatistics

struct LookScheduleTests {
  @Test
  func `one gating metric has five looks`() throws {
    let schedule = try LookSchedule(metrics: 1)
    #expect(schedule.error == 0.02)
    // Ten pairs cannot show a change of the distribution at 0.001: 2^-9 is 0.00195.
    #expect(schedule.looks.map(\.pairs) == [11, 14, 20, 28, 40])
    // For 11 signs, the largest two-sided p below the level 0.00637 is that of T+ <= 3: the sums 0,
    // 1 and 2 have one pattern each and 3 has two, so 2 * 5/2048. (T+ <= 4, with two more patterns,
    // would be 0.00684.)
    #expect(schedule.looks[0].changeError == 10 / 2048.0)
    #expect(schedule.looks.allSatisfy { $0.equivalenceError > $0.changeError })
  }

  @Test
  func `a boundary that no sign pattern reaches moves the first look`() throws {
    // Five metrics share 2 %: 0.0011 per look, and 10 pairs reach at best 2^-9 = 0.00195.
    let five = try LookSchedule(metrics: 5)
    #expect(five.looks.map(\.pairs) == [11, 14, 20, 28, 40])
    #expect(five.looks[0].changeError == 0x1p-10)
    // A hundred metrics: 0.000058 per look, and 2^-15 = 0.000031. The look at 14 is before the
    // first one.
    let hundred = try LookSchedule(metrics: 100)
    #expect(hundred.looks.map(\.pairs) == [16, 20, 28, 40])
  }

  @Test
  func `an error between two tabulated ones uses the smaller one`() throws {
    #expect(try LookSchedule(metrics: 13).error == 0.02 / 15)
    #expect(try LookSchedule(metrics: 17) == LookSchedule(metrics: 20))
    #expect(try LookSchedule(error: 0.5) == LookSchedule(error: 0.02))
  }

  @Test
  func `an error beyond the tables is split equally`() throws {
    let schedule = try LookSchedule(error: 1e-7)
    // 2e-8 per look; 2^-26 = 1.5e-8 is the first smaller power.
    #expect(schedule.looks.map(\.pairs) == [27, 28, 40])
    #expect(schedule.looks.reduce(0) { $0 + $1.changeError } <= 1e-7)
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
    let looks = Double(LookSchedule.pairs(from: boundary.first).count)
    #expect(boundary.level < boundary.error && boundary.level > boundary.error / looks)
    #expect(LookSchedule.equivalenceLevels[boundary.first] != nil)
  }

  @Test
  func `a small simulation reproduces the errors of the tables`() throws {
    // With 3,000 runs the standard error of 0.02 is 0.0026, of 0.05 it is 0.0040.
    var simulation = NullSimulation(looks: LookSchedule.pairs(from: 11))
    var generator = SeededGenerator(seed: 5)
    simulation.run(3000, &generator)
    let boundary = try #require(LookSchedule.boundaries.first)
    #expect((simulation.error(atLevel: boundary.level) - 0.02).magnitude < 4 * 0.0026)
    let equivalence = try #require(LookSchedule.equivalenceLevels[11])
    #expect((simulation.error(atLevel: equivalence) - 0.05).magnitude < 4 * 0.0040)
    let level = try #require(simulation.level(forError: 0.05))
    #expect(simulation.error(atLevel: level) <= 0.05)
    #expect((0.008...0.02).contains(level))
    #expect(simulation.level(forError: 1e-6) == nil)
  }
}
