internal import Glibc
internal import PerfModel

/// Takes out of the times of launches how slow the CPU was right before each.
///
/// How far a metric follows the CPU's pace is estimated from the launches of each pair, whichever side they are
/// of: as the slope of least absolute deviations through their differences, since a launch in ten is off by
/// far more than its pace, and a change of the program is spread evenly over both ends of it by the random
/// order. Of several readings of the pace, the one that leaves the least of those differences is taken: one
/// program waits for its own results, the next one for the units that it shares with a neighbour. What was read
/// before a launch cannot be an effect of it, and exchanging launches of a pair changes neither the reading nor
/// the slope nor any corrected time, so the tests stay as exact as they are without it.
///
/// - Note: Deng, Xu, Kohavi and Walker 2013, doi:10.1145/2433396.2433413 (variance taken out by what was
///   measured before the treatment).
struct PaceCorrection {
  /// Launches that were made together.
  struct Block {
    /// Times, positive.
    let times: [Double]
    /// What the same loops took right before each, positive: of each launch the same loops in the same order.
    let paces: [[Double]]

    /// The logarithms of the times and of one reading of the pace.
    fileprivate func logarithms(_ reading: Int) -> [(time: Double, pace: Double)] {
      zip(times, paces).map { (log($0), log($1[reading])) }
    }
  }

  /// How far the times follow the pace: from 0, not at all, to 1, where twice the pace is twice the time.
  let share: Double
  /// Whether the pace explains enough of the noise to trust what is left of it.
  ///
  /// Where times follow something else, as a machine with a fast and a slow state, the share is about zero.
  var isFollowed: Bool { share >= 0.25 }
  /// Which reading of the pace the times follow.
  let reading: Int
  /// The pace that times are brought to.
  private let usual: Double

  /// Estimates the share; 0 when no two launches of a block differ in their pace.
  ///
  /// - Parameter blocks: The launches of each pair, of both sides. Of readings that some launches lack, only
  ///   those before them count.
  init(_ blocks: [Block]) {
    let readings = blocks.flatMap(\.paces).map(\.count).min() ?? 0
    let fits = (0..<max(1, readings)).map { reading in
      Fit(reading < readings ? blocks.map { $0.logarithms(reading) } : [])
    }
    // The first of equal ones.
    let best = fits.indices.reduce(0) { fits[$1].left < fits[$0].left ? $1 : $0 }
    reading = best
    share = fits[best].share
    let paces = readings > 0 ? blocks.flatMap(\.paces).map { $0[best] }.sorted() : []
    usual = paces.isEmpty ? 1 : paces[paces.count / 2]
  }

  /// How slow the CPU was before each of some launches; nil when that is not known of all.
  static func paces(of launches: [LaunchPair.Values]) -> [[Double]]? {
    let found = launches.map { launch in
      MetricName.paces.map { launch[$0] ?? 0 }.prefix { $0 > 0 && $0.isFinite }.map(\.self)
    }
    return found.allSatisfy { !$0.isEmpty } ? found : nil
  }

  /// The times of launches as they would have been at the usual pace.
  func corrected(_ launches: Block) -> [Double] {
    zip(launches.times, launches.paces).map { $0 * factor(at: $1) }
  }

  /// What a time at a pace is to be multiplied by.
  func factor(at paces: [Double]) -> Double { share > 0 ? pow(usual / paces[reading], share) : 1 }

  /// The slope of times over one reading of the pace.
  private struct Fit {
    let share: Double
    /// What it leaves of the differences, added up.
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
      // A CPU that is slower by a tenth slows nothing by more than that, and speeds nothing up.
      let share = min(max(PaceCorrection.weightedMedian(slopes) ?? 0, 0), 1)
      self.share = share
      left = differences.reduce(0) { $0 + abs($1.time - share * $1.pace) }
    }
  }

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
