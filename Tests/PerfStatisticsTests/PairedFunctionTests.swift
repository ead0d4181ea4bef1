import PerfModel
import Testing

@testable import PerfStatistics

struct PairedFunctionTests {
  /// Returns a run of a profile in which 20 functions take so many nanoseconds in each launch.
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

  /// Launches of 50 samples each, one a millisecond, by the functions' shares; the machine is slow by
  /// half as much again in one of three.
  func launches(_ count: Int, seed: UInt64, slowing function: Int? = nil) -> [[Double]] {
    var generator = SeededGenerator(seed: seed)
    let shares = (0..<20).map { $0 == function ? 0.06 : 0.05 }
    return (0..<count).map { _ in
      let level = generator.nextUniform() < 1 / 3.0 ? 1.5 : 1
      return shares.map { share in
        // A sum of 50 coins: binomial, as the count of samples is.
        let chance = share * level
        return 1e6 * Double((0..<50).count { _ in generator.nextUniform() < chance })
      }
    }
  }

  @Test
  func `one function of twenty that became a fifth slower is named among the noise`() throws {
    // 800 launches a side: 46,000 samples; 2,300 of the function before, 2,800 after.
    let functions = FunctionComparer().compare(
      run(launches(800, seed: 1)), run(launches(800, seed: 2, slowing: 7)), launchesPerPair: 4)
    let own = functions.filter { $0.kind == .own }
    #expect(own.count == 20)
    #expect(own.filter(\.isSignificant).map(\.name) == ["f7"])
    let named = try #require(own.first { $0.isSignificant })
    // 50 launches' milliseconds times 0.05 and 0.06 times 7/6 of the machine.
    #expect(isClose(named.base / 1e6, 2.92, within: 0.1))
    #expect(isClose(named.candidate / 1e6, 3.5, within: 0.1))
    let (low, high) = (try #require(named.low), try #require(named.high))
    #expect(low > 0 && low < named.difference && named.difference < high)
    #expect(FunctionComparer.explanation(of: functions).first?.name == "f7")
  }

  @Test
  func `eleven pairs of four launches are enough for a small function`() throws {
    // A function of 1.5 % appears. Signed ranks of eleven pairs give no p below 2^-10; the function's
    // share of the error is 0.05 * 0.75 %. Its 44 launches have 45 samples in place of none, and 6.7
    // standard deviations of the draw.
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
  func `two runs of one program name nobody`() {
    let functions = FunctionComparer().compare(
      run(launches(160, seed: 5)), run(launches(160, seed: 6)), launchesPerPair: 4)
    #expect(functions.count == 40)
    #expect(functions.allSatisfy { !$0.isSignificant })
  }

  @Test
  func `intervals of named functions allow for how many were asked`() throws {
    // Twelve pairs whose differences are 1...12 for f0 and symmetric around 0 for the others; all have
    // 200 in the sum of both means. p of f0 is 2^-11, times 20 functions 0.0098: named, and its interval
    // at 1 - 0.05 / 20.
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
    // P(T+ <= 3) = 5/4096 = 0.00122 is the last one up to 0.00125, so three of the means of pairs lie
    // outside on each side: of 1, 1.5, 2, 2, 2.5, ... the fourth is 2.
    #expect(isClose(named.low, 2e6) && isClose(named.high, 11e6))
  }

  @Test
  func `pairs with a launch that did not complete are left out`() throws {
    let times = launches(8, seed: 5)
    let times2 = try #require(
      FunctionComparer.pairedTimes(
        run(times, statuses: [3: .timedOut]), run(times), launchesPerPair: 4))
    #expect(times2.0.launches == 4 && times2.1.launches == 4)
    #expect(FunctionComparer.pairedTimes(run(times), run(times), launchesPerPair: 9) == nil)
  }
}
