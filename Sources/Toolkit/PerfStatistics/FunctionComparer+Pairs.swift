public import PerfModel

extension FunctionComparer {
  /// Compares the profiles of two runs whose launches were made together, in pairs.
  ///
  /// Each pair gives one number per function and side: its mean CPU time over the launches of the pair.
  /// (Not their minimum: a launch of 50 ms has 50 samples, of which a small function gets a few.) The
  /// differences are compared by signed ranks, corrected by Holm's method so that at most one comparison
  /// in twenty names any function of a kind falsely; a function's share of that error is its share of
  /// the time. Intervals are corrected as well, so that the interval of a function that is named excludes
  /// zero.
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

  /// Adds up the profiles over the pairs that are complete; nil when there is none.
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
    return (
      FunctionTimes(old, launches: complete.flatMap { before[$0].map(\.index) }),
      FunctionTimes(new, launches: complete.flatMap { after[$0].map(\.index) })
    )
  }

  /// Judges functions by the differences of their pairs.
  private static func judgedByPair(_ rows: [Row], _ launches: Int) -> [Finding] {
    let differences = rows.map { row in
      stride(from: 0, to: row.base.count, by: launches).map { start in
        (start..<(start + launches)).reduce(0) { sum, launch in
          sum + (row.candidate[launch] - row.base[launch]) / Double(launches)
        }
      }
    }
    let weights = weights(rows)
    let pValues = differences.map { (try? SignedRank.test($0).p) ?? 1 }
    let all = weights.reduce(0, +)
    let steps =
      (try? MultipleTests.holm(Array(zip(pValues, weights)))) ?? weights.map { _ in (1, all) }
    // Those that are not named share what the named ones left.
    let unnamed = zip(weights, steps).reduce(0) { $1.1.adjusted > errorRate ? $0 + $1.0 : $0 }
    return differences.indices.map { index in
      let error = errorRate * weights[index] / max(steps[index].left, unnamed)
      let averages = try? WalshAverages(differences[index])
      return Finding(
        interval: averages?.interval(error: error), q: steps[index].adjusted)
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
