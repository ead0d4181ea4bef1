internal import Glibc
internal import PerfModel

/// Takes out of the times of launches how slow the CPU was right before each.
///
/// How far a metric follows the CPU's pace is estimated from the launches of each pair, whichever side they are
/// of: as the slope of least absolute deviations through their differences, since a launch in ten is off by
/// far more than its pace, and a change of the program is spread evenly over both ends of it by the random
/// order. What was read before a launch cannot be an effect of it, and exchanging launches of a pair changes
/// neither the slope nor any corrected time, so the tests stay as exact as they are without it.
///
/// - Note: Deng, Xu, Kohavi and Walker 2013, doi:10.1145/2433396.2433413 (variance taken out by what was
///   measured before the treatment).
struct PaceCorrection {
  /// Launches that were made together.
  struct Block {
    /// Times, positive.
    let times: [Double]
    /// What the same loop took right before each, positive.
    let paces: [Double]
  }

  /// How far the times follow the pace: from 0, not at all, to 1, where twice the pace is twice the time.
  let share: Double
  /// Whether the pace explains enough of the noise to trust what is left of it.
  ///
  /// Where times follow something else, as a machine with a fast and a slow state, the share is about zero.
  var isFollowed: Bool { share >= 0.25 }
  /// The pace that times are brought to.
  private let usual: Double

  /// Estimates the share; 0 when no two launches of a block differ in their pace.
  ///
  /// - Parameter blocks: The launches of each pair, of both sides.
  init(_ blocks: [Block]) {
    var slopes: [(value: Double, weight: Double)] = []
    for block in blocks {
      let launches = zip(block.times, block.paces).map { (time: log($0), pace: log($1)) }
      for (index, first) in launches.enumerated() {
        for second in launches[(index + 1)...] where second.pace != first.pace {
          let run = second.pace - first.pace
          slopes.append(((second.time - first.time) / run, abs(run)))
        }
      }
    }
    // A CPU that is slower by a tenth slows nothing by more than that, and speeds nothing up.
    share = min(max(Self.weightedMedian(slopes) ?? 0, 0), 1)
    let paces = blocks.flatMap(\.paces).sorted()
    usual = paces.isEmpty ? 1 : paces[paces.count / 2]
  }

  /// How slow the CPU was before each of some launches; nil when that is not known of all.
  static func paces(of launches: [LaunchPair.Values]) -> [Double]? {
    let found = launches.compactMap { $0[MetricDefinition.pace] }.filter { $0 > 0 && $0.isFinite }
    return found.count == launches.count ? found : nil
  }

  /// The times of launches as they would have been at the usual pace.
  func corrected(_ launches: Block) -> [Double] {
    zip(launches.times, launches.paces).map { $0 * factor(at: $1) }
  }

  /// What a time at a pace is to be multiplied by.
  func factor(at pace: Double) -> Double { share > 0 ? pow(usual / pace, share) : 1 }

  /// The least value up to which there is half of the weight: it minimises the weighted sum of distances.
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
