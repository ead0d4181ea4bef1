/// The signed rank test of the core of a sample, with its estimate and intervals.
///
/// Even with the minimum of four launches, one pair in ten to twenty has a side whose launches were
/// all in the machine's slow state, 40 % apart. Such pairs would have the highest ranks, and half
/// of the variance of the rank sum. So a centre is tested only with the pairs within four times the
/// median distance from it (the core). Distances do not depend on signs: in any core each sign is
/// equally likely, and the test stays exact. No pair is excluded in general: if the whole sample is
/// on one side of a centre, its pairs are the core as seen from there.
///
/// `Scripts/bench evidence` measures the gain on recorded and simulated launches.
struct CoreSignedRank {
  /// The radius of the core in median distances from the centre.
  static let reach = 4.0

  private let values: [Double]
  private let coreCount: Int
  /// The Walsh averages of the core around the median.
  private let averages: WalshAverages

  /// Prepares the test of differences, candidate minus base, symmetric around their centre.
  init(_ differences: [Double]) throws(StatisticsError) {
    let middle = try Quantiles.median(of: differences)
    let core = Self.core(differences, around: middle)
    values = differences
    coreCount = core.count
    averages = try WalshAverages(core)
  }

  /// The Hodges-Lehmann estimate of the core around the median.
  var estimate: Double { averages.estimate }

  /// Returns the two-sided p-value of a centre.
  ///
  /// With more than a hundred values it is from the normal distribution, whose tails are larger: by
  /// 2 % at 0.01, by 15 % at 0.0001.
  func p(at center: Double) -> Double {
    let distances = Self.core(values, around: center).map { $0 - center }
    // The distribution is tabulated for distinct distances; ties and zeros have their own.
    let order = distances.indices.sorted {
      distances[$0].magnitude < distances[$1].magnitude
    }
    var (sum, last) = (0, 0.0)
    for (rank, index) in order.enumerated() {
      guard distances[index].magnitude > last else {
        return (try? SignedRank.test(distances).p) ?? 1
      }
      last = distances[index].magnitude
      if distances[index] > 0 { sum += rank + 1 }
    }
    let (count, total) = (distances.count, distances.count * (distances.count + 1) / 2)
    let lower = min(sum, total - sum)
    guard count > SignedRank.exactLimit else {
      return min(1, 2 * RankDistribution.ofSigns(count).atMost(lower))
    }
    let variance = Double(total * (2 * count + 1)) / 12
    return TestResult(Double(lower), mean: Double(total) / 2, variance: variance).p
  }

  /// Returns the range of centres that are not rejected; nil if too few values can reject any.
  ///
  /// The limits are Walsh averages of the core, where ranks change. Far from the core, near a
  /// single distant pair, there may be other centres that are not rejected; so the centres that
  /// matter for the verdict are passed explicitly.
  ///
  /// - Complexity: O(*n* log² *n*).
  func interval(error: Double, holding points: [Double]) -> ClosedRange<Double>? {
    guard let smallest = values.min(), let largest = values.max(),
      2 * SignFlip.smallestTail(values.count) <= error * roundingSlack
    else { return nil }
    // The core is too small to reject any centre.
    guard 2 * SignFlip.smallestTail(coreCount) <= error * roundingSlack else {
      return smallest...largest
    }
    func isRejected(_ center: Double) -> Bool { p(at: center) <= error * roundingSlack }
    let sorted = averages.sorted
    /// Returns whether the centres between this average and the next one are rejected.
    func isGapRejected(_ index: Int) -> Bool {
      isRejected(sorted[index] / 2 + sorted[index + 1] / 2)
    }
    let inside = max(0, sorted.count { $0 < estimate } - 1)
    let down = Self.steps(inside) { isGapRejected(inside - $0) }
    let up = Self.steps(sorted.count - 2 - inside) { isGapRejected(inside + $0) }
    let (lower, upper) = (sorted[inside - down + 1], sorted[min(inside + up, sorted.count - 1)])
    let held = points.filter { !isRejected($0) } + [estimate]
    return held.reduce(lower, min)...held.reduce(upper, max)
  }

  /// Returns the first step from 1 to `limit` that goes too far, or `limit` + 1 if none does.
  private static func steps(_ limit: Int, _ goesTooFar: (Int) -> Bool) -> Int {
    var (near, far) = (0, max(limit, 0) + 1)
    while far - near > 1 {
      let middle = (near + far) / 2
      if goesTooFar(middle) { far = middle } else { near = middle }
    }
    return far
  }

  /// Returns the core around a centre; all values if at least half of them equal it.
  private static func core(_ values: [Double], around center: Double) -> [Double] {
    let limit = radius(of: values.map { ($0 - center).magnitude })
    return values.filter { ($0 - center).magnitude <= limit }
  }

  /// Returns the radius of the core, given all distances; infinite if at least half of them are zero.
  static func radius(of distances: [Double]) -> Double {
    let radius = reach * Quantiles.ofSorted(distances.sorted(), 0.5)
    return radius > 0 ? radius : .infinity
  }
}
