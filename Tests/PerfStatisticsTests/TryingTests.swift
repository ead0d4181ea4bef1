import Foundation
import PerfModel
import Testing

@testable import PerfStatistics

struct OnlineErrorBudgetTests {
  /// Returns the levels of a sequence of p-values.
  private func levels(_ pValues: [Double], _ budget: OnlineErrorBudget) -> [Double] {
    var (levels, outcomes): ([Double], [Bool]) = ([], [])
    for p in pValues {
      levels.append(budget.level(after: outcomes))
      outcomes.append(p <= levels[levels.count - 1])
    }
    return levels
  }

  @Test func `levels agree with the example of the R package onlineFDR`() {
    // onlineFDR, LORD(sample.df, random = FALSE), version '++': alpha 0.05 and w0 0.005.
    let pValues = [
      2.9e-8, 0.06743, 0.01514, 0.08174, 0.00171, 3.6e-5, 0.79149, 0.27201, 0.28295, 7.59e-8,
      0.69274, 0.30443, 0.00136, 0.72342, 0.54757,
    ]
    let published = [
      0.0002675839, 0.0024664457, 0.0005732818, 0.0004872805, 0.0004059066, 0.0003447286,
      0.0029745013, 0.0008450114, 0.0007305648, 0.0006243143, 0.0032185913, 0.0010617227,
      0.0009256825, 0.0008019657, 0.0007059610,
    ]
    let found = levels(pValues, OnlineErrorBudget(rate: 0.05, wealth: 0.005))
    #expect(zip(found, published).allSatisfy { isClose($0, $1, within: 6e-11) })
  }

  @Test func `levels with half of the rate as wealth agree with onlineFDR`() {
    // LORD(sample.df, alpha = 0.1, w0 = 0.05), in the order of the shuffled batches.
    let pValues = [2.9e-8, 0.06743, 0.01514, 0.08174, 0.00171, 0.27201, 3.6e-5]
    let published = [
      0.0026758385, 0.0032577488, 0.0010775352, 0.0009078052, 0.0007616238, 0.0006517385,
      0.0005682672,
    ]
    let found = levels(pValues, OnlineErrorBudget(rate: 0.1))
    #expect(zip(found, published).allSatisfy { isClose($0, $1, within: 6e-11) })
  }

  @Test func `without discoveries all levels together stay below the wealth`() {
    let outcomes = [Bool](repeating: false, count: 2000)
    let sum = (0..<2000).reduce(0) {
      $0 + OnlineErrorBudget().level(after: Array(outcomes[..<$1]))
    }
    #expect(sum < 0.025)
  }

  @Test func `the number of gating metrics rounds a level down`() {
    // 0.02 / 0.0013 is 15.4, so each of 16 metrics has at most the level.
    #expect(OnlineErrorBudget.gatingCount(level: 0.0013) == 16)
    #expect(OnlineErrorBudget.gatingCount(level: 0.5) == 1)
  }
}

struct SelectedEffectTests {
  @Test(arguments: [(6.0, 5.48, 4.94, 5.21), (5.2, 0.66, 2.53, 1.6)])
  func `corrected estimates agree with the paper`(
    z: Double, maximum: Double, mean: Double, compromise: Double
  ) {
    // Ghosh, Zou and Wright 2008: log odds ratios of 1.5 and 1.3, standard error 0.25, threshold 5.
    let effect = SelectedEffect(estimate: z, threshold: 5)
    #expect(abs(effect.maximum - maximum) < 0.0061)
    #expect(abs(effect.mean - mean) < 0.0061)
    #expect(abs(effect.compromise - compromise) < 0.0061)
  }

  @Test func `an estimate far beyond its threshold is not corrected`() {
    // The probability of selection is 1 for all likely effects, also where tails underflow.
    for (z, threshold) in [(20.0, 3.0), (60, 45)] {
      #expect(
        isClose(SelectedEffect(estimate: z, threshold: threshold).compromise, z, within: 0.01))
    }
  }

  @Test func `an estimate near a high threshold is finite`() {
    // u + 0.5 = φ(u) / Φ(-u) has the solution u = 1.13, so the maximum is 40 - 1.13.
    let effect = SelectedEffect(estimate: 40.5, threshold: 40)
    #expect(abs(effect.maximum - 38.87) < 0.02)
    #expect(effect.mean.isFinite && effect.mean < 40.5)
  }
}

struct PairedGainTests {
  private let metric = MetricDefinition(
    name: "wall", dimension: .time, direction: .lower, scale: .ratio, summary: "")
  private let margin = Scenario.Margin(relative: 0.01)

  /// Pairs of one launch per side, whose ratios are a factor and 20 steps of 0.1 % around it.
  private func pairs(_ factor: Double) -> [LaunchPair] {
    (0..<20).map { index in
      LaunchPair(
        base: [["wall": 1]],
        candidate: [["wall": factor * exp(0.001 * (Double(index) - 9.5))]])
    }
  }

  private func measured(_ factor: Double) -> PairedGain? {
    PairedGain(pairs(factor), of: metric, margin: margin, launchesPerPair: 1)
  }

  @Test func `the change is the centre of all pairs`() throws {
    let gain = try #require(measured(0.97))
    #expect(isClose(gain.change, -0.03, within: 1e-9))
    #expect(gain.interval.contains(-0.03) && !gain.interval.contains(0))
    // The steps are uniform with a standard deviation of 0.59 %, so the mean of 20 has 0.13 %.
    #expect((0.0008...0.0018).contains(gain.standardError))
  }

  @Test func `a clear gain is corrected little and a narrow one more`() throws {
    let (clear, narrow) = (try #require(measured(0.95)), try #require(measured(0.9895)))
    #expect(isClose(clear.claimed(level: 0.001), clear.change, within: 1e-4))
    let claimed = narrow.claimed(level: 0.001)
    #expect(narrow.change < claimed && claimed < 0)
    #expect(claimed - narrow.change > 0.001)
  }

  @Test func `too few pairs give no interval`() {
    #expect(
      PairedGain([], of: metric, margin: margin, launchesPerPair: 1) == nil)
  }
}
