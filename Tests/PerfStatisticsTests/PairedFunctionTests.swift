import PerfModel
import Testing

@testable import PerfStatistics

struct PairedFunctionTests {
  /// Returns a run whose profile has 20 functions with these times in nanoseconds per launch.
  func run(_ times: [[Double]], statuses: [Int: Launch.Status] = [:]) -> Run {
    let counts = times.enumerated().flatMap { launch, row in
      row.enumerated().map { function, weight in
        Profile.Count(
          launch: launch + 1, node: function, thread: 0, phase: 0, frameClass: .none,
          state: .running, samples: Int(weight / 1e6), weight: weight)
      }
    }
    let profile = Profile(
      functions: (0..<20).map {
        Profile.Function(name: "f\($0)", key: "f\($0)", module: "m", file: nil)
      },
      nodes: (0..<20).map { Profile.Node(parent: -1, function: $0, line: 0, isInlined: false) },
      threads: [Profile.Thread(name: "main", cpu: 0)], phases: [""], counts: counts, timeline: [:],
      audit: ProfileAudit())
    return TestRuns.run(
      ["wall": times.map { _ in 1 }], profile: profile, statuses: statuses)
  }

  /// Returns launches of 50 samples of one millisecond each, distributed by the functions' shares;
  /// one launch in three is slower by half.
  func launches(_ count: Int, seed: UInt64, slowing function: Int? = nil) -> [[Double]] {
    var generator = SeededGenerator(seed: seed)
    let shares = (0..<20).map { $0 == function ? 0.06 : 0.05 }
    return (0..<count).map { _ in
      let level = generator.nextUniform() < 1 / 3.0 ? 1.5 : 1
      return shares.map { share in
        // The sum of 50 coin tosses is binomial, like the number of samples.
        let chance = share * level
        return 1e6 * Double((0..<50).count { _ in generator.nextUniform() < chance })
      }
    }
  }

  @Test
  func `one of twenty functions that became a fifth slower is significant`() throws {
    // 800 launches per side: 46,000 samples, of which the function has 2,300 before and 2,800
    // after.
    let functions = FunctionComparer().compare(
      run(launches(800, seed: 1)), run(launches(800, seed: 2, slowing: 7)), launchesPerPair: 4)
    let own = functions.filter { $0.kind == .own }
    #expect(own.count == 20)
    #expect(own.filter(\.isSignificant).map(\.name) == ["f7"])
    let named = try #require(own.first { $0.isSignificant })
    // 50 ms per launch times 0.05 and 0.06, times 7/6 for the machine.
    #expect(isClose(named.base / 1e6, 2.92, within: 0.1))
    #expect(isClose(named.candidate / 1e6, 3.5, within: 0.1))
    let (low, high) = (try #require(named.low), try #require(named.high))
    #expect(low > 0 && low < named.difference && named.difference < high)
    #expect(FunctionComparer.explanation(of: functions).first?.name == "f7")
  }

  @Test
  func `eleven pairs of four launches suffice for a small function`() throws {
    // A function of 1.5 % appears. Signed ranks of eleven pairs have no p below 2^-10, but the
    // function's share of the error is 0.05 * 0.75 %. Its 44 launches have 45 samples instead of
    // none: 6.7 standard deviations of the randomisation.
    let old = launches(44, seed: 11).map { [0] + $0.dropFirst() }
    var generator = SeededGenerator(seed: 12)
    let new = launches(44, seed: 13).map { row in
      [1e6 * Double((0..<5).count { _ in generator.nextUniform() < 0.2 })] + row.dropFirst()
    }
    let functions = FunctionComparer().compare(run(old), run(new), launchesPerPair: 4)
    let own = functions.filter { $0.kind == .own && $0.isSignificant }
    #expect(own.map(\.name) == ["f0"])
    let (low, high) = (try #require(own.first?.low), try #require(own.first?.high))
    #expect(low > 0 && low < 1e6 && 1e6 < high)
  }

  @Test
  func `two runs of one program have no significant function`() {
    let functions = FunctionComparer().compare(
      run(launches(160, seed: 5)), run(launches(160, seed: 6)), launchesPerPair: 4)
    #expect(functions.count == 40)
    #expect(functions.allSatisfy { !$0.isSignificant })
  }

  @Test
  func `intervals of significant functions are corrected for the number of functions`() throws {
    // Twelve pairs with differences 1...12 for f0 and symmetric around 0 for the others; the sum of
    // both means is 200 for all. The p-value of f0 is 2^-11, times 20 functions 0.0098:
    // significant, with an interval at 1 - 0.05 / 20.
    let base = [[Double]](
      repeating: [96.75e6] + [Double](repeating: 100e6, count: 19), count: 12)
    let candidate: [[Double]] = (0..<12).map { pair in
      let (named, other) = (96.75 + Double(pair + 1), 94.5 + Double(pair))
      return [named * 1e6] + [Double](repeating: other * 1e6, count: 19)
    }
    let functions = FunctionComparer().compare(
      run(base), run(candidate), launchesPerPair: 1)
    let named = try #require(functions.first { $0.kind == .own && $0.isSignificant })
    #expect(named.name == "f0" && isClose(named.q, 20 * 0x1p-11))
    // P(T+ <= 3) = 5/4096 = 0.00122 is the largest up to 0.00125, so three Walsh averages are
    // outside on each side: the fourth of 1, 1.5, 2, 2, 2.5, ... is 2.
    #expect(isClose(named.low, 2e6) && isClose(named.high, 11e6))
  }

  @Test
  func `functions that the change touches share four fifths of the error equally`() throws {
    // As above, but f0 and f1 are touched: f0 has 0.8 / 2 of the error, so q is 2^-11 / 0.4.
    let base = [[Double]](
      repeating: [96.75e6] + [Double](repeating: 100e6, count: 19), count: 12)
    let candidate: [[Double]] = (0..<12).map { pair in
      let (named, other) = (96.75 + Double(pair + 1), 94.5 + Double(pair))
      return [named * 1e6] + [Double](repeating: other * 1e6, count: 19)
    }
    let functions = FunctionComparer(touched: ["f0", "f1"]).compare(
      run(base), run(candidate), launchesPerPair: 1)
    let named = try #require(functions.first { $0.kind == .own && $0.isSignificant })
    #expect(named.name == "f0" && named.isTouched && isClose(named.q, 0x1p-11 / 0.4))
    #expect(Set(functions.filter(\.isTouched).map(\.key)) == ["f0", "f1"])
    // If the change touches every function, or none of the sampled ones, no function is preferred.
    for touched in [Set((0..<20).map { "f\($0)" }), ["elsewhere"]] {
      let functions = FunctionComparer(touched: touched).compare(
        run(base), run(candidate), launchesPerPair: 1)
      let named = try #require(functions.first { $0.kind == .own && $0.isSignificant })
      #expect(isClose(named.q, 20 * 0x1p-11))
    }
  }

  @Test
  func `pairs with an incomplete launch are excluded from function comparisons`() throws {
    let times = launches(8, seed: 5)
    let times2 = try #require(
      FunctionComparer.pairedTimes(
        run(times, statuses: [3: .timedOut]), run(times), launchesPerPair: 4))
    #expect(times2.0.launches == 4 && times2.1.launches == 4)
    #expect(FunctionComparer.pairedTimes(run(times), run(times), launchesPerPair: 9) == nil)
  }

  @Test
  func `a function that depends on the layout is no changed function`() {
    // Twelve layouts with four pairs each. In nine layouts the function is a fifth slower, in three it is
    // slightly faster. The three have the rank sum 6, which 8 of 4096 signs do not exceed; p = 16 / 4096 is
    // more than a twentieth of 0.05. Of 48 pairs twelve have the rank sum 78, 5.2 deviations below 588.
    let old = (0..<48).map { _ in [Double](repeating: 5e6, count: 20) }
    func new(_ effect: (Int) -> Double) -> [[Double]] {
      (0..<48).map { pair in (0..<20).map { 5e6 + ($0 == 3 ? effect(pair % 12) : 0) } }
    }
    func named(_ new: [[Double]], layouts: Int) -> [String] {
      FunctionComparer(layouts: layouts).compare(run(old), run(new), launchesPerPair: 1)
        .filter { $0.kind == .own && $0.isSignificant }.map(\.name)
    }
    let byLayout = new { $0 < 9 ? 1e6 : -1e5 }
    #expect(named(byLayout, layouts: 1) == ["f3"])
    #expect(named(byLayout, layouts: 12) == [])
    // A change in all layouts has p = 2 / 4096, and a twentieth of the error.
    #expect(named(new { _ in 1e6 }, layouts: 12) == ["f3"])
  }
}
