import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStatistics

/// The error rates of the judge of counted work, simulated from seeds.
struct WorkSimulationTests {
  /// A distribution of the instructions of equal launches, in multiples of the mean.
  enum Kind: String, CaseIterable {
    case normal, uniform, skewed, modes, fractal

    func next(_ random: inout SampleRandom) -> Double {
      switch self {
      // Box and Muller; 0.2 % of standard deviation.
      case .normal:
        1 + 0.002 * (-2 * log(1 - random.unit())).squareRoot() * cos(2 * .pi * random.unit())
      case .uniform: 1 + 0.008 * (random.unit() - 0.5)
      // Exponential: most launches are alike, few have much more work.
      case .skewed: 1 - 0.001 * log(1 - random.unit())
      // Two equally frequent modes without a spread.
      case .modes: random.chance(0.5) ? 1 : 1.009
      // Modes within modes: digits of base 10 that are 0 or 9.
      case .fractal:
        (1...6).reduce(1) { $0 + (random.chance(0.5) ? 0.09 * pow(10, -Double($1)) : 0) }
      }
    }
  }

  /// Adds launches until the work is decided, as a count does.
  private func verdict(
    _ kind: Kind, more change: Double, _ random: inout SampleRandom
  ) -> (verdict: ComparisonVerdict, launches: Int) {
    var (base, candidate): ([Double], [Double]) = ([], [])
    func compare() -> WorkComparison {
      WorkComparer(
        policy: Scenario.GatePolicy(
          metrics: ["work.instructions": Scenario.Margin(relative: 0.001)])
      ).compare(WorkCounts([CountedRuns.run(base)]), WorkCounts([CountedRuns.run(candidate)]))
    }
    repeat {
      for _ in 0..<(base.isEmpty ? 2 : 1) {
        base.append((1e9 * kind.next(&random)).rounded())
        candidate.append((1e9 * (1 + change) * kind.next(&random)).rounded())
      }
    } while compare().needsLaunches
    return (compare().verdict, base.count)
  }

  /// A margin of 0.1 % is finer than each kind's spread, so that only the interval and the
  /// confirmation prevent false alarms.
  @Test(arguments: Kind.allCases)
  func `an unchanged program seldom does more or less work`(kind: Kind) {
    var random = SampleRandom(seed: 25)
    let count = 3000
    let alarms = (0..<count).count { _ in
      let found = verdict(kind, more: 0, &random).verdict
      return found == .regressed || found == .improved
    }
    // The interval permits 1 %. It does not hold for modes, which the confirmation limits to
    // 2 (1/2)^8 = 0.8 %. Three standard deviations of a rate of 1 % in 3,000 trials are 0.55 %.
    #expect(Double(alarms) / Double(count) <= 0.0155, "\(kind.rawValue): \(alarms)")
  }

  @Test func `one percent more work is found in four launches of a steady program`() {
    var random = SampleRandom(seed: 7)
    for _ in 0..<200 {
      var (base, candidate): ([Double], [Double]) = ([], [])
      // Swift programs with deterministic hashes differ by 0.002 % between equal launches.
      for _ in 0..<4 {
        base.append((1e9 * random.around(1, spread: 1e-5)).rounded())
        candidate.append((1.01e9 * random.around(1, spread: 1e-5)).rounded())
      }
      let work = WorkComparer().compare(
        WorkCounts([CountedRuns.run(base)]), WorkCounts([CountedRuns.run(candidate)]))
      #expect(work.verdict == .regressed)
    }
  }

  @Test func `two launches decide that a steady program does the same work`() {
    var random = SampleRandom(seed: 8)
    for _ in 0..<200 {
      let counts = (0..<4).map { _ in (1e9 * random.around(1, spread: 1e-5)).rounded() }
      let work = WorkComparer().compare(
        WorkCounts([CountedRuns.run([counts[0], counts[1]])]),
        WorkCounts([CountedRuns.run([counts[2], counts[3]])]))
      #expect(work.verdict == .equivalent)
    }
  }
}
