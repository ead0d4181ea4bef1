internal import Glibc
internal import PerfModel

/// The removal of the CPU's pace from the times of launches.
///
/// The pace is the duration of fixed loops right before each launch. How far a metric follows the
/// pace is estimated within the pairs, regardless of side: as the slope of least absolute
/// deviations through the differences of their launches. Absolute deviations are used because one
/// launch in ten deviates by far more than its pace; a change of the program does not bias the
/// slope, because the launches are in random order. The loop with the smallest remaining
/// differences is used: one program waits for its own results, another for units shared
/// with a neighbour. The pace was measured before the launch, so it cannot be an effect of it; and
/// exchanging the launches of a pair changes neither the pace nor the slope nor any corrected time,
/// so the tests stay exact.
///
/// - Note: Deng, Xu, Kohavi and Walker 2013, doi:10.1145/2433396.2433413 (variance reduction by a
///   covariate measured before the treatment).
struct PaceCorrection {
  /// Launches of one pair.
  struct Block {
    /// Times of the launches, positive, in any unit.
    let times: [Double]
    /// Durations of the loops right before each launch, positive, in one order for all launches.
    let paces: [[Double]]

    /// Returns the logarithms of the times and of one loop's durations.
    fileprivate func logarithms(_ reading: Int) -> [(time: Double, pace: Double)] {
      zip(times, paces).map { (log($0), log($1[reading])) }
    }
  }

  /// The exponent with which the times follow the pace: 0 for not at all, 1 for proportionally.
  let share: Double
  /// Whether the pace explains enough of the noise that the rest can be treated as symmetric.
  ///
  /// The share is about zero if the times follow something else, such as a machine with a fast and
  /// a slow state.
  var isFollowed: Bool { share >= 0.25 }
  /// The index of the loop that the times follow.
  let reading: Int
  /// The duration of the loop to which the times are normalised.
  private let usual: Double

  /// Estimates the share; it is 0 if all launches of each pair have the same pace.
  ///
  /// The blocks contain launches of both sides. Loops that are missing in any launch are ignored.
  init(_ blocks: [Block]) {
    let readings = blocks.flatMap(\.paces).map(\.count).min() ?? 0
    let fits = (0..<max(1, readings)).map { reading in
      Fit(reading < readings ? blocks.map { $0.logarithms(reading) } : [])
    }
    // Of equal fits the first one is chosen.
    let best = fits.indices.reduce(0) { fits[$1].left < fits[$0].left ? $1 : $0 }
    reading = best
    share = fits[best].share
    let paces = readings > 0 ? blocks.flatMap(\.paces).map { $0[best] }.sorted() : []
    usual = paces.isEmpty ? 1 : paces[paces.count / 2]
  }

  /// Returns the durations of the loops before each launch; nil if they are unknown for any.
  static func paces(of launches: [LaunchPair.Values]) -> [[Double]]? {
    let found = launches.map { launch in
      MetricName.paces.map { launch[$0] ?? 0 }.prefix { $0 > 0 && $0.isFinite }.map(\.self)
    }
    return found.allSatisfy { !$0.isEmpty } ? found : nil
  }

  /// Returns the times of launches, normalised to the usual pace.
  func corrected(_ launches: Block) -> [Double] {
    zip(launches.times, launches.paces).map { $0 * factor(at: $1) }
  }

  /// Returns the factor that converts the time of a launch to the usual pace; 1 without a correction.
  func factor(at paces: [Double]) -> Double { share > 0 ? pow(usual / paces[reading], share) : 1 }

  /// The slope of times over the durations of one loop.
  private struct Fit {
    let share: Double
    /// The sum of the absolute differences that remain.
    let left: Double

    init(_ blocks: [[(time: Double, pace: Double)]]) {
      var differences: [(time: Double, pace: Double)] = []
      for launches in blocks {
        for (index, first) in launches.enumerated() {
          for second in launches[(index + 1)...] {
            differences.append((second.time - first.time, second.pace - first.pace))
          }
        }
      }
      let slopes = differences.filter { $0.pace != 0 }.map { ($0.time / $0.pace, abs($0.pace)) }
      // A CPU that is slower by a tenth slows a program by at most a tenth, and never speeds it up.
      let share = min(max(PaceCorrection.weightedMedian(slopes) ?? 0, 0), 1)
      self.share = share
      left = differences.reduce(0) { $0 + abs($1.time - share * $1.pace) }
    }
  }

  /// Returns the weighted median: the smallest value with at least half of the weight at or below
  /// it; it minimises the weighted sum of absolute distances.
  private static func weightedMedian(_ values: [(value: Double, weight: Double)]) -> Double? {
    let sorted = values.sorted { ($0.value, $0.weight) < ($1.value, $1.weight) }
    let half = sorted.reduce(0) { $0 + $1.weight } / 2
    var sum = 0.0
    for (value, weight) in sorted {
      sum += weight
      if sum >= half { return value }
    }
    return nil
  }
}
