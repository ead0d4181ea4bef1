public import PerfModel

extension FunctionComparer {
  /// Compares the profiles of two runs whose launches were made together, in pairs.
  ///
  /// Of pairs of several launches a side, the mean CPU times are compared by what the random order within the
  /// pairs would make of them: eleven pairs of four launches are 88 numbers a function. (Not the minimum
  /// of a pair: a launch of 50 ms has 50 samples, of which a small function gets a few.) Of pairs of one
  /// launch a side, the differences are compared by signed ranks. Both are corrected by Holm's method so that at
  /// most one comparison in twenty names any function of a kind falsely; a function's share of that error is
  /// its share of the time. Intervals are corrected as well, so that the interval of a function that is named
  /// excludes zero.
  ///
  /// - Parameters:
  ///   - base: What it was before.
  ///   - candidate: What it is now.
  ///   - launchesPerPair: How many launches of each side make a pair, at least one.
  /// - Returns: Functions alone and with what they call, largest difference first; empty when a side has
  ///   no profile, or there is no pair of which every launch completed.
  /// - Note: Holm 1979, https://www.jstor.org/stable/4615733; section 4 has the weights.
  public func compare(
    _ base: Run, _ candidate: Run, launchesPerPair: Int
  ) -> [FunctionComparison] {
    Self.pairedTimes(base, candidate, launchesPerPair: launchesPerPair)
      .map { compare($0, $1, launchesPerPair: launchesPerPair) } ?? []
  }

  /// Compares the times of complete pairs.
  func compare(
    _ old: FunctionTimes, _ new: FunctionTimes, launchesPerPair: Int
  ) -> [FunctionComparison] {
    compare(old, new) { rows in Self.judgedByPair(rows, launchesPerPair) }
  }

  /// Adds up the profiles over the pairs that are complete, at the usual pace of the CPU where that is known;
  /// nil when there is none.
  static func pairedTimes(
    _ base: Run, _ candidate: Run, launchesPerPair: Int
  ) -> (FunctionTimes, FunctionTimes)? {
    guard let old = base.profile, let new = candidate.profile, launchesPerPair >= 1
    else { return nil }
    let (before, after) = (base.profiled, candidate.profiled)
    let starts = stride(
      from: 0, through: min(before.count, after.count) - launchesPerPair, by: launchesPerPair)
    let complete = starts.map { $0..<($0 + launchesPerPair) }.filter { range in
      (before[range] + after[range]).allSatisfy { $0.status == .completed }
    }
    guard !complete.isEmpty else { return nil }
    let sides = (complete.flatMap { before[$0] }, complete.flatMap { after[$0] })
    let factors = launchesPerPair > 1 ? paceFactors(sides.0, sides.1, launchesPerPair) : nil
    return (
      FunctionTimes(old, launches: sides.0.map(\.index), factors: factors?.base),
      FunctionTimes(new, launches: sides.1.map(\.index), factors: factors?.candidate)
    )
  }

  /// Returns what the functions' times of each launch are multiplied by, as far as its CPU time follows the
  /// pace; nil when either is not known of a launch.
  private static func paceFactors(
    _ base: [Launch], _ candidate: [Launch], _ launchesPerPair: Int
  ) -> (base: [Double], candidate: [Double])? {
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

  /// Judges functions by the launches of their pairs.
  private static func judgedByPair(_ rows: [Row], _ launches: Int) -> [Finding] {
    let changes = rows.map { PairedChange($0, launches) }
    let weights = weights(rows)
    let all = weights.reduce(0, +)
    let steps =
      (try? MultipleTests.holm(zip(changes, weights).map { ($0.p, $1) }))
      ?? weights.map { _ in (1, all) }
    // Those that are not named share what the named ones left.
    let unnamed = zip(weights, steps).reduce(0) { $1.1.adjusted > errorRate ? $0 + $1.0 : $0 }
    return changes.indices.map { index in
      let error = errorRate * weights[index] / max(steps[index].left, unnamed)
      return Finding(interval: changes[index].interval(error), q: steps[index].adjusted)
    }
  }

  /// What the launches of pairs say of one function.
  private struct PairedChange {
    /// How likely it is when nothing changed.
    let p: Double
    /// The interval of the difference that is wrong as often as the argument says, or nil.
    let interval: (Double) -> ClosedRange<Double>?

    init(_ row: Row, _ launches: Int) {
      if let means = BlockedMeans(row.base, row.candidate, blocksOf: launches) {
        p = means.p
        interval = { means.interval(error: $0) }
      } else {
        let differences = zip(row.base, row.candidate).map { $1 - $0 }
        p = (try? SignedRank.test(differences).p) ?? 1
        let averages = try? WalshAverages(differences)
        interval = { averages?.interval(error: $0) }
      }
    }
  }

  /// Returns each function's share of the time of both sides.
  ///
  /// Asked alike, forty functions would ask as much of one that holds a tenth of the time as of one that
  /// nobody would act on. By the sum of both sides, the choice does not disturb the error rate.
  private static func weights(_ rows: [Row]) -> [Double] {
    let times = rows.map { $0.means.base + $0.means.candidate }
    let sum = times.reduce(0, +)
    return times.map { sum > 0 ? max($0 / sum, 1e-9) : 1 }
  }
}
