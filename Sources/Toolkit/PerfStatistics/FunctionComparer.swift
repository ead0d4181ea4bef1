public import PerfModel

/// Names the functions whose CPU time changed between two runs.
///
/// Each launch gives one number per function, CPU time in nanoseconds; shares would make every other
/// function look faster when one slows down. The launches of both sides are compared by Mann and
/// Whitney's test, corrected for the number of functions by Benjamini and Hochberg.
public struct FunctionComparer: Sendable {
  /// Functions with less than this fraction of all CPU time, both runs taken together, are left out.
  ///
  /// Choosing by the sum of both sides does not disturb the error rate of the others (Bourgon,
  /// Gentleman and Huber 2010, doi:10.1073/pnas.0914005107), and asks fewer questions at once.
  public static let smallestShare = 0.005
  /// How often functions may be named falsely: of pairs, the share of comparisons that name any; of runs
  /// that were made one after the other, the share of the names.
  public static let errorRate = 0.05
  /// Samples a side below which a 20 % change of a 5 % function is likely to be missed.
  public static let samplesNeeded = 25_000

  /// Creates a comparer.
  public init() {}

  /// Compares the profiles of two runs.
  ///
  /// - Parameters:
  ///   - base: What it was before.
  ///   - candidate: What it is now.
  /// - Returns: Functions alone and with what they call, largest difference first; empty when a
  ///   side has no profile. Intervals are at 95 %, widened like those of metrics; a function is
  ///   significant when its adjusted p-value is at most `errorRate` and its interval excludes zero.
  public func compare(_ base: Run, _ candidate: Run) -> [FunctionComparison] {
    Self.times(base, candidate).map(compare) ?? []
  }

  /// Compares the times of two runs, as `compare(_:_:)` of runs does.
  func compare(_ old: FunctionTimes, _ new: FunctionTimes) -> [FunctionComparison] {
    compare(old, new, by: Self.judgedBySide)
  }

  /// Compares the times of two runs.
  ///
  /// - Parameters:
  ///   - old: What it was before.
  ///   - new: What it is now.
  ///   - judge: Says of functions that were chosen which ones changed.
  /// - Returns: Functions, largest difference first.
  func compare(
    _ old: FunctionTimes, _ new: FunctionTimes, by judge: ([Row]) -> [Finding]
  ) -> [FunctionComparison] {
    let names = old.names.merging(new.names, uniquingKeysWith: Profile.Function.plainer)
    // Per launch, because the runs may have different numbers of them.
    let all = old.sum / Double(old.launches) + new.sum / Double(new.launches)
    let pairs = [
      (FunctionComparison.Kind.own, old.own, new.own), (.total, old.total, new.total),
    ]
    return pairs.flatMap { kind, before, after in
      let rows = Set(before.keys).union(after.keys).sorted().map { key in
        Row(
          key: key, base: before[key] ?? [Double](repeating: 0, count: old.launches),
          candidate: after[key] ?? [Double](repeating: 0, count: new.launches))
      }
      .filter { $0.means.base + $0.means.candidate >= Self.smallestShare * all }
      return zip(rows, judge(rows)).map { row, finding in
        FunctionComparison(
          name: names[row.key] ?? row.key, key: row.key, kind: kind, base: row.means.base,
          candidate: row.means.candidate, low: finding.interval?.lowerBound,
          high: finding.interval?.upperBound, q: finding.q,
          isSignificant: finding.q <= Self.errorRate
            && finding.interval?.contains(0) == false)
      }
    }
    .sorted { ($0.difference.magnitude, $1.key) > ($1.difference.magnitude, $0.key) }
  }

  /// Returns the functions that explain a change best, out of what `compare` found.
  ///
  /// First the one nearest to the leaves that holds, with what it calls, at least two thirds of what
  /// became faster (or slower, whichever is more); then those whose own time changed most.
  ///
  /// - Parameters:
  ///   - functions: From `compare`.
  ///   - limit: How many at most.
  /// - Returns: Significant functions that all became faster, or all slower; may be empty.
  public static func explanation(
    of functions: [FunctionComparison], limit: Int = 4
  ) -> [FunctionComparison] {
    let significant = functions.filter(\.isSignificant)
    let own = significant.filter { $0.kind == .own }
    // Each way by itself: what one function gained may hide in the sum what another lost.
    let slower = own.filter { $0.difference > 0 }.reduce(0) { $0 + $1.difference }
    let faster = own.filter { $0.difference < 0 }.reduce(0) { $0 - $1.difference }
    let moved = significant.filter { ($0.difference > 0) == (slower > faster) }
    let most = max(slower, faster) * 2 / 3
    // Callers hold at least what their callees do: the least of those that hold most is the deepest.
    let deepest =
      moved.filter { $0.kind == .total && $0.difference.magnitude >= most }
      .min { max($0.base, $0.candidate) < max($1.base, $1.candidate) }
    let leaves = moved.filter { $0.kind == .own && $0.key != deepest?.key }
    return Array(([deepest].compactMap(\.self) + leaves).prefix(limit))
  }

  /// Returns a warning when there are too few samples to tell small changes; `remedy` says how its
  /// reader gets more of them.
  static func sampleWarning(
    _ old: FunctionTimes, _ new: FunctionTimes, remedy: String
  ) -> RunWarning? {
    let fewest = min(old.samples, new.samples)
    guard fewest < samplesNeeded else { return nil }
    return RunWarning(
      code: "comparison.few_samples",
      message:
        "\(NumberFormat.grouped(fewest)) samples a side are too few to tell a 20% change of a "
        + "function that takes 5% of the time; that takes "
        + NumberFormat.grouped(samplesNeeded),
      remedy: remedy)
  }

  /// Adds up both runs' profiles; nil when a side has none, or no launch to compare.
  static func times(_ base: Run, _ candidate: Run) -> (FunctionTimes, FunctionTimes)? {
    guard let old = base.profile, let new = candidate.profile, !base.measured.isEmpty,
      !candidate.measured.isEmpty
    else { return nil }
    return (
      FunctionTimes(old, launches: base.measured.map(\.index)),
      FunctionTimes(new, launches: candidate.measured.map(\.index))
    )
  }

  /// A function's time in each launch of both sides, or each pair.
  struct Row {
    let key: String
    let base: [Double]
    let candidate: [Double]

    var means: (base: Double, candidate: Double) {
      (
        base.reduce(0, +) / Double(base.count), candidate.reduce(0, +) / Double(candidate.count)
      )
    }
  }

  /// What was found of a function.
  struct Finding {
    /// The interval of the difference, or nil.
    let interval: ClosedRange<Double>?
    /// The error rate at which it would be named.
    let q: Double
  }

  /// Judges functions by launches that were made one side after the other.
  private static func judgedBySide(_ rows: [Row]) -> [Finding] {
    let pValues = rows.map { (try? RankSum.test($0.base, $0.candidate).p) ?? 1 }
    let qValues = (try? MultipleTests.benjaminiHochberg(pValues)) ?? pValues
    return zip(rows, qValues).map { row, q in
      let means = row.means
      let drift = RunComparer.drift * max(means.base, means.candidate)
      let shift = try? HodgesLehmann.shift(from: row.base, to: row.candidate)
      return Finding(
        interval: shift?.interval.map { ($0.lowerBound - drift)...($0.upperBound + drift) }, q: q)
    }
  }
}
