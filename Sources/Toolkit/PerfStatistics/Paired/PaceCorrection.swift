internal import Glibc

/// Takes out of the times of launches how slow the CPU was right before each.
///
/// How far a metric follows the CPU's pace is estimated from launches of one side and pair, which did the
/// same work: as the slope of least absolute deviations through all of their differences, since a launch in
/// ten is off by far more than its pace. What was read before a launch cannot be an effect of it, and
/// exchanging the sides of a pair changes neither the slope nor any corrected time, so the tests stay as
/// exact as they are without it.
///
/// - Note: Deng, Xu, Kohavi and Walker 2013, doi:10.1145/2433396.2433413 (variance taken out by what was
///   measured before the treatment).
struct PaceCorrection {
  /// Launches of one side of a pair.
  struct Block {
    /// Times, positive.
    let times: [Double]
    /// What the same loop took right before each, positive.
    let paces: [Double]
  }

  /// How far the times follow the pace: from 0, not at all, to 1, where twice the pace is twice the time.
  let share: Double
  /// The pace that times are brought to.
  private let usual: Double

  /// Estimates the share; 0 when no two launches of a block differ in their pace.
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

  /// The times of a block as they would have been at the usual pace.
  func corrected(_ block: Block) -> [Double] {
    guard share > 0 else { return block.times }
    return zip(block.times, block.paces).map { time, pace in time * pow(usual / pace, share) }
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
