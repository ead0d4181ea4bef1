internal import PerfModel

/// All launches of a metric, pair by pair: whether their distribution changed or is equivalent.
///
/// The statistic of a pair's launches hides effects that occur only in some launches, such as a slow
/// mode. So the mean of all launches is tested, and the number of launches beyond an upper quantile
/// of both sides together. All tests flip the sides of whole pairs, because the launches of a pair
/// share the state of the machine, or of all pairs of a layout. Without a change each side of a pair
/// is equally likely to be the candidate, so the tests are valid for any noise, a slow mode of both
/// sides included.
struct LaunchDistribution {
  /// The probabilities of the upper quantiles, one of which must be equivalent.
  ///
  /// A quantile between the fast and the slow launches cannot be shown to be equivalent, but then
  /// the other one is not between them.
  private static let upper = [0.75, 0.9]
  /// The probabilities of the quantiles that are tested for a change.
  private static let tested = [0.5, 0.75, 0.9, 0.95]

  /// The launches of both sides of a pair.
  typealias Block = (base: [Double], candidate: [Double])

  /// The values in base units.
  private let launches: [Block]
  /// The positions on the metric's scale; larger ones are worse.
  private let blocks: [Block]
  private let scale: MetricScale
  /// 1 if larger values are worse, -1 if smaller ones are.
  private let sign: Double
  /// The pairs by layout.
  private let groups: LayoutGroups
  /// The differences of the pairs' or layouts' means, candidate minus base, as positions.
  private let differences: [Double]
  /// The changes up to the margin on both sides, as positions; infinite on a side without a limit.
  private let margin: (lower: Double, upper: Double)

  init(
    _ launches: [Block], _ scale: ChangeScale, _ direction: Direction,
    _ layouts: LayoutGroups? = nil
  ) {
    self.launches = launches
    groups = layouts ?? LayoutGroups(Array(launches.indices))
    let (unit, sign) = (scale.scale, direction == .higher ? -1.0 : 1)
    func mean(_ values: [Double]) -> Double {
      unit.position(values.reduce(0) { $0 + $1 / Double(values.count) })
    }
    blocks = launches.map { pair in
      (
        base: pair.base.map { sign * unit.position($0) },
        candidate: pair.candidate.map { sign * unit.position($0) }
      )
    }
    differences = groups.means(launches.map { mean($0.candidate) - mean($0.base) })
    margin = scale.positions
    (self.scale, self.sign) = (unit, sign)
  }

  /// The margin on the worse side, as a distance of positions.
  private var worst: Double { sign > 0 ? margin.upper : -margin.lower }

  // MARK: - Mean

  /// The change of the mean of all launches, without intervals.
  private var meanChange: Double { differences.reduce(0) { $0 + $1 / Double(differences.count) } }

  /// Whether the mean of all launches changed for the worse.
  var isMeanWorse: Bool { sign * meanChange > 0 }

  /// Returns the change of the mean of all launches with its intervals at a look.
  func mean(_ look: LookSchedule.Look) -> ChangeRule.Change {
    let flips = try? SignFlipIntervals(differences)
    return change(
      decisive: flips?.interval(error: look.changeError),
      plain: flips?.interval(error: look.equivalenceError))
  }

  /// Returns the change of the mean with an approximate interval of equivalence, for a forecast.
  func roughMean(_ look: LookSchedule.Look) -> ChangeRule.Change {
    let count = Double(differences.count)
    let deviation = (Moments(differences).squares / max(1, count - 1) / count).squareRoot()
    let reach = -Distributions.normalQuantile(look.equivalenceError / 2) * deviation
    return change(decisive: nil, plain: (meanChange - reach)...(meanChange + reach))
  }

  private func change(
    decisive: ClosedRange<Double>?, plain: ClosedRange<Double>?
  ) -> ChangeRule.Change {
    func changes(_ range: ClosedRange<Double>) -> ClosedRange<Double> {
      scale.change(range.lowerBound)...scale.change(range.upperBound)
    }
    return ChangeRule.Change(
      estimate: scale.change(meanChange), decisive: decisive.map(changes),
      plain: plain.map(changes))
  }

  /// The means of all launches of both sides.
  var means: (base: Double, candidate: Double) {
    func mean(_ values: [Double]) -> Double { Moments(values).mean }
    return (mean(launches.flatMap(\.base)), mean(launches.flatMap(\.candidate)))
  }

  // MARK: - Equivalence

  /// The reason why all launches do not permit the verdict of the centre.
  enum Doubt {
    /// The mean may have changed by the margin or more, or at all without a margin.
    case mean
    /// The upper quantiles may have changed by the margin or more.
    case upperQuantile
    /// There are fewer than `leastLaunches`.
    case fewLaunches
    /// The centre improved, and the mean became worse.
    case worseMean
  }

  /// The least number of launches of each side that are *equivalent*.
  ///
  /// A slow mode of one launch in ten is missing in 28 launches with a probability of 5 %.
  static let leastLaunches = 28

  /// Returns the reason against *equivalent*; nil if there is none.
  func doubt(error: Double) -> Doubt? {
    guard !blocks.allSatisfy({ $0.base.sorted() == $0.candidate.sorted() }) else { return nil }
    if let property = unequal(error: error) { return property }
    return hasEnoughLaunches ? nil : .fewLaunches
  }

  /// Whether both sides have `leastLaunches`.
  var hasEnoughLaunches: Bool {
    [blocks.map(\.base), blocks.map(\.candidate)].allSatisfy { side in
      side.reduce(0) { $0 + $1.count } >= Self.leastLaunches
    }
  }

  /// Returns the property that may have changed by the margin or more; nil if none may have.
  ///
  /// Both properties must be equivalent, so that each may have the whole error. Without a margin,
  /// nothing can be shown to be equivalent: then the mean must not have changed significantly.
  private func unequal(error: Double) -> Doubt? {
    let tail = error / 2 * roundingSlack
    guard margin.upper > 0 else {
      let tails = [differences, differences.map { -$0 }].map(SignFlip.tail)
      return tails.allSatisfy { $0 > tail } ? nil : .mean
    }
    func isWithin(_ excess: [Double], _ limit: Double) -> Bool {
      limit.isInfinite || SignFlip.tail(excess) <= tail
    }
    guard isWithin(differences.map { margin.upper - $0 }, margin.upper),
      isWithin(differences.map { $0 - margin.lower }, margin.lower)
    else { return .mean }
    // With one launch per side the centre and the mean are those of all launches.
    guard blocks.contains(where: { $0.base.count > 1 }) else { return nil }
    let (above, below) = (worst, sign > 0 ? margin.lower : -margin.upper)
    let none = Self.upper.map { _ in 0.0 }
    let tails = zip(
      above.isInfinite ? none : excess(shift: above, Self.upper, sign: -1),
      below.isInfinite ? none : excess(shift: below, Self.upper, sign: 1))
    // The quantiles share the error equally.
    let isShown = tails.contains { max($0, $1) * Double(Self.upper.count) <= tail }
    return isShown ? nil : .upperQuantile
  }

  // MARK: - Change

  /// A changed distribution.
  struct Change {
    let isWorse: Bool
    /// The two-sided p-value of "no change by more than the margin".
    let p: Double
    let slow: SlowLaunches
  }

  /// Returns the change of the distribution, if more launches of one side are slow by more than the
  /// margin, and the mean of all launches changed by the margin or more.
  func change(error: Double) -> Change? {
    guard error > 0, margin.lower.isFinite else { return nil }
    let isWorse = sign * meanChange > 0
    guard meanChange <= margin.lower || meanChange >= margin.upper, meanChange != 0 else {
      return nil
    }
    let tails = excess(
      shift: sign * (meanChange > 0 ? margin.upper : margin.lower), Self.tested,
      sign: isWorse ? 1 : -1)
    // The quantiles share the error of a direction equally.
    let p = 2 * Double(tails.count) * (tails.min() ?? 1)
    return p <= error * roundingSlack ? Change(isWorse: isWorse, p: p, slow: slowest) : nil
  }

  /// Returns for each quantile the probability that signs at random give the candidate as many more
  /// launches beyond it as there are, or as many less with a negative sign.
  ///
  /// The candidate is moved by the shift first.
  private func excess(shift: Double, _ quantiles: [Double], sign: Double) -> [Double] {
    let moved = relative(shift: shift)
    let all = moved.flatMap { $0.base + $0.candidate }.sorted()
    return quantiles.map { probability in
      let limit = Quantiles.ofSorted(all, probability)
      // If many launches are equal to the quantile, too few are beyond it, and they count as well.
      let isTied = 2 * Double(all.count { $0 > limit }) < (1 - probability) * Double(all.count)
      func slow(_ values: [Double]) -> Int {
        values.count { isTied ? $0 >= limit : $0 > limit }
      }
      let scores = groups.sums(moved.map { slow($0.candidate) - slow($0.base) })
      let positive = scores.reduce(0) { $0 + max(0, sign > 0 ? $1 : -$1) }
      return RankDistribution(coinsOver: scores.map { abs($0) }.filter { $0 > 0 }).atLeast(positive)
    }
  }

  /// Returns the launches relative to the best launch of their pair, which removes the drift of the
  /// machine, after the candidate was moved towards the base.
  private func relative(shift: Double) -> [Block] {
    blocks.map { pair in
      let candidate = pair.candidate.map { $0 - shift }
      let best = min(pair.base.min() ?? 0, candidate.min() ?? 0)
      return (base: pair.base.map { $0 - best }, candidate: candidate.map { $0 - best })
    }
  }

  /// The slow launches of both sides, divided from the others where the shares differ most, beyond
  /// the margin.
  private var slowest: SlowLaunches {
    let pairs = relative(shift: 0)
    let (base, candidate) = (pairs.flatMap(\.base).sorted(), pairs.flatMap(\.candidate).sorted())
    var best = SlowLaunches(base: 0, candidate: 0, beyond: 0)
    var (old, new) = (0, 0)
    for limit in Set(base + candidate).sorted() where limit > worst {
      while old < base.count, base[old] < limit { old += 1 }
      while new < candidate.count, candidate[new] < limit { new += 1 }
      let found = SlowLaunches(
        base: 1 - Double(old) / Double(base.count),
        candidate: 1 - Double(new) / Double(candidate.count),
        beyond: scale.change(sign * limit).magnitude)
      if abs(found.candidate - found.base) > abs(best.candidate - best.base) { best = found }
    }
    return best
  }
}
