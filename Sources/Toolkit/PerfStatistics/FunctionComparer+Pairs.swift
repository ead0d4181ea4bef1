public import PerfModel

extension FunctionComparer {
  /// Compares the profiles of two runs whose launches were interleaved in pairs.
  ///
  /// With layouts, the differences of the layouts are compared by signed ranks.
  /// For pairs with several launches per side the mean CPU times are compared by their
  /// randomisation distribution within the pairs: eleven pairs of four launches give 88 numbers per
  /// function. (The minimum would be wrong: a launch of 50 ms has 50 samples, and a small function
  /// only a few of them.) For pairs with one launch per side the differences are compared by signed
  /// ranks. Holm's method corrects both, so that at most one comparison in twenty names any
  /// function of a kind falsely. The share of a function in that error is its share of the time;
  /// functions that the change touches share most of the error equally.
  /// Intervals are corrected as well: the interval of a named function excludes zero.
  /// The largest difference is first. Without profiles or a complete pair there are no functions.
  ///
  /// - Note: Holm 1979, https://www.jstor.org/stable/4615733; section 4 has the weights.
  public func compare(
    _ base: Run, _ candidate: Run, launchesPerPair: Int
  ) -> [FunctionComparison] {
    Self.pairedTimes(base, candidate, launchesPerPair: launchesPerPair)
      .map { compare($0, $1, launchesPerPair: launchesPerPair) } ?? []
  }

  func compare(
    _ old: FunctionTimes, _ new: FunctionTimes, launchesPerPair: Int
  ) -> [FunctionComparison] {
    let groups = layouts > 1 ? LayoutGroups(old.pairs.map { $0 % layouts }) : nil
    return compare(old, new) { rows in judgedByPair(rows, launchesPerPair, groups) }
  }

  /// Sums the profiles over the complete pairs, normalised to the usual pace of the CPU if it is
  /// known; nil without a complete pair.
  static func pairedTimes(
    _ base: Run, _ candidate: Run, launchesPerPair: Int
  ) -> (FunctionTimes, FunctionTimes)? {
    guard let old = base.profile, let new = candidate.profile,
      let sides = completePairs(base, candidate, launchesPerPair)
    else { return nil }
    let factors = paceFactors(sides.base, sides.candidate, launchesPerPair)
    var times = (
      FunctionTimes(old, launches: sides.base.map(\.index), factors: factors?.base),
      FunctionTimes(new, launches: sides.candidate.map(\.index), factors: factors?.candidate)
    )
    (times.0.pairs, times.1.pairs) = (sides.pairs, sides.pairs)
    return times
  }

  /// The factors of the functions' times in launches of both sides, by number of the launch.
  public typealias LaunchFactors = (base: [Int: Double], candidate: [Int: Double])

  /// Returns the factors by which a comparison of pairs multiplies the functions' times of each launch.
  ///
  /// They normalise the times to the usual pace of the CPU; they are 1 if it is unknown. Launches without a
  /// factor are not compared.
  ///
  /// - Parameters:
  ///   - base: The base.
  ///   - candidate: The candidate.
  ///   - launchesPerPair: The launches per side and pair.
  /// - Returns: The factors; nil without a complete pair.
  public static func launchFactors(
    _ base: Run, _ candidate: Run, launchesPerPair: Int
  ) -> LaunchFactors? {
    guard let sides = completePairs(base, candidate, launchesPerPair) else { return nil }
    let factors = paceFactors(sides.base, sides.candidate, launchesPerPair)
    func numbered(_ launches: [Launch], _ factors: [Double]?) -> [Int: Double] {
      let values = factors ?? launches.map { _ in 1 }
      return Dictionary(zip(launches.map(\.index), values)) { first, _ in first }
    }
    return (
      numbered(sides.base, factors?.base), numbered(sides.candidate, factors?.candidate)
    )
  }

  /// The launches of complete pairs, and the numbers of the pairs.
  typealias PairedLaunches = (base: [Launch], candidate: [Launch], pairs: [Int])

  /// Returns the launches of the pairs whose launches have all completed; nil without such a pair.
  static func completePairs(
    _ base: Run, _ candidate: Run, _ launchesPerPair: Int
  ) -> PairedLaunches? {
    guard launchesPerPair >= 1 else { return nil }
    let (before, after) = (base.profiled, candidate.profiled)
    let starts = stride(
      from: 0, through: min(before.count, after.count) - launchesPerPair, by: launchesPerPair)
    let complete = starts.map { $0..<($0 + launchesPerPair) }.filter { range in
      (before[range] + after[range]).allSatisfy { $0.status == .completed }
    }
    guard !complete.isEmpty else { return nil }
    return (
      complete.flatMap { before[$0] }, complete.flatMap { after[$0] },
      complete.map { $0.lowerBound / launchesPerPair }
    )
  }

  /// Returns the factors that normalise the functions' times of each launch, as far as its CPU time
  /// follows the pace; nil if CPU time or pace of any launch is unknown, or for pairs with one launch per side.
  private static func paceFactors(
    _ base: [Launch], _ candidate: [Launch], _ launchesPerPair: Int
  ) -> (base: [Double], candidate: [Double])? {
    guard launchesPerPair > 1 else { return nil }
    func paced(_ side: [Launch]) -> PaceCorrection.Block? {
      let times = side.compactMap { $0.metrics[MetricName.cpuTotal] }.filter { $0 > 0 }
      guard times.count == side.count,
        let paces = PaceCorrection.paces(of: side.map(\.metrics))
      else { return nil }
      return .init(times: times, paces: paces)
    }
    guard let old = paced(base), let new = paced(candidate) else { return nil }
    let starts = stride(from: 0, to: base.count, by: launchesPerPair)
    let correction = PaceCorrection(
      starts.map { start in
        let range = start..<(start + launchesPerPair)
        return .init(
          times: Array(old.times[range] + new.times[range]),
          paces: Array(old.paces[range] + new.paces[range]))
      })
    return (old.paces.map(correction.factor), new.paces.map(correction.factor))
  }

  private func judgedByPair(
    _ rows: [Row], _ launches: Int, _ groups: LayoutGroups?
  ) -> [FunctionTest] {
    let tests = rows.map { Self.test($0, launches, groups) }
    let weights = weights(rows)
    let all = weights.reduce(0, +)
    let steps =
      (try? MultipleTests.holm(zip(tests, weights).map { ($0.p, $1) }))
      ?? weights.map { _ in (1, all) }
    // Functions that are not named share the error that the named ones left.
    let unnamed = zip(weights, steps).reduce(0) { $1.1.adjusted > Self.errorRate ? $0 + $1.0 : $0 }
    return tests.indices.map { index in
      let error = Self.errorRate * weights[index] / max(steps[index].left, unnamed)
      return (tests[index].interval(error), steps[index].adjusted)
    }
  }

  /// Returns the p-value of "no change" of a function, and its interval for a given error.
  private static func test(
    _ row: Row, _ launches: Int, _ groups: LayoutGroups?
  ) -> (p: Double, interval: (Double) -> ClosedRange<Double>?) {
    if groups == nil, let means = BlockedMeans(row.base, row.candidate, blocksOf: launches) {
      return (means.p, { means.interval(error: $0) })
    }
    var differences = zip(row.base, row.candidate).map { $1 - $0 }
    if let groups {
      let starts = stride(from: 0, to: differences.count, by: launches)
      differences = groups.means(starts.map { Moments(differences[$0..<($0 + launches)]).mean })
    }
    let averages = try? WalshAverages(differences)
    return ((try? SignedRank.test(differences).p) ?? 1, { averages?.interval(error: $0) })
  }

  /// Returns each function's share of the error.
  ///
  /// Without touched functions it is the share of the time of both sides: equal shares would make a
  /// function with a tenth of the time as hard to find as an irrelevant one. Weights from the sum of
  /// both sides, or from the sources, do not change the error rate.
  private func weights(_ rows: [Row]) -> [Double] {
    let times = rows.map { $0.means.base + $0.means.candidate }
    let isTouched = rows.map { touched.contains($0.key) }
    let count = isTouched.count { $0 }
    let isSplit = count > 0 && count < rows.count
    let sum = zip(times, isTouched).reduce(0) { $1.1 && isSplit ? $0 : $0 + $1.0 }
    return zip(times, isTouched).map { time, isTouched in
      if isSplit, isTouched { return Self.touchedShare / Double(count) }
      let share = sum > 0 ? max(time / sum, 1e-9) : 1
      return isSplit ? (1 - Self.touchedShare) * share : share
    }
  }
}
