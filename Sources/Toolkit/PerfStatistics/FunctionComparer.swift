public import PerfModel

/// The comparison of the functions' CPU time, or of their allocations, between two runs.
///
/// Each launch gives one number per function, CPU time in nanoseconds. Shares would make all other
/// functions look faster when one becomes slower. The launches of both sides are compared by the
/// Mann-Whitney test, corrected for the number of functions by the Benjamini-Hochberg procedure.
public struct FunctionComparer: Sendable {
  /// The smallest share of all CPU time (both runs together) of a function that is compared.
  ///
  /// Selection by the sum of both sides does not change the error rate (Bourgon, Gentleman and
  /// Huber 2010, doi:10.1073/pnas.0914005107), and reduces the number of tests.
  public static let smallestShare = 0.005
  /// The rate of false names: for pairs the share of comparisons with any false name, for other
  /// runs the share of names that are false.
  public static let errorRate = 0.05
  /// The number of samples per side that is likely to show a 20 % change of a 5 % function.
  public static let samplesNeeded = 25_000

  /// The share of the error for the functions that the change touches.
  static let touchedShare = 0.8

  /// The keys of the functions whose source lines the change touches; empty if unknown.
  let touched: Set<String>
  /// The number of layouts that the pairs take in turn; 1 for a single link of each side.
  let layouts: Int

  /// Creates a comparer.
  public init(touched: Set<String> = [], layouts: Int = 1) {
    (self.touched, self.layouts) = (touched, layouts)
  }

  /// Compares the functions of two runs by self time and by total time, largest difference first.
  ///
  /// There are no functions if a side has no profile. Intervals are at 95 %, widened like the
  /// intervals of metrics. A function is significant if its adjusted p-value is at most `errorRate`
  /// and its interval excludes zero.
  public func compare(_ base: Run, _ candidate: Run) -> [FunctionComparison] {
    Self.times(base, candidate).map(compare) ?? []
  }

  func compare(_ old: FunctionTimes, _ new: FunctionTimes) -> [FunctionComparison] {
    compare(old, new, by: Self.judgedBySide)
  }

  /// Compares the times of two runs; `judge` returns the test of each selected function.
  func compare(
    _ old: FunctionTimes, _ new: FunctionTimes, by judge: ([Row]) -> [FunctionTest]
  ) -> [FunctionComparison] {
    let names = old.names.merging(new.names, uniquingKeysWith: Profile.Function.plainer)
    // The unit is time per launch, because the runs may have different numbers of launches.
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
      return zip(rows, judge(rows)).map { row, test in
        FunctionComparison(
          name: names[row.key] ?? row.key, key: row.key, kind: kind, base: row.means.base,
          candidate: row.means.candidate, low: test.interval?.lowerBound,
          high: test.interval?.upperBound, q: test.q,
          isSignificant: test.q <= Self.errorRate
            && test.interval?.contains(0) == false,
          isTouched: touched.contains(row.key))
      }
    }
    .sorted { ($0.difference.magnitude, $1.key) > ($1.difference.magnitude, $0.key) }
  }

  /// Returns the functions that explain a change best.
  ///
  /// The first is the innermost function that contains, with its callees, at least two thirds of
  /// the larger direction of change. The others are those with the largest change of self time. All
  /// are significant and became faster, or all slower; there may be none.
  public static func explanation(
    of functions: [FunctionComparison], limit: Int = 4
  ) -> [FunctionComparison] {
    let significant = functions.filter(\.isSignificant)
    let own = significant.filter { $0.kind == .own }
    // If no function alone changed for certain, the largest change with callees decides.
    let largest = significant.max { $0.difference.magnitude < $1.difference.magnitude }
    let parts = own.isEmpty ? [largest].compactMap(\.self) : own
    // Both directions are summed separately, because they may cancel each other.
    let slower = parts.filter { $0.difference > 0 }.reduce(0) { $0 + $1.difference }
    let faster = parts.filter { $0.difference < 0 }.reduce(0) { $0 - $1.difference }
    let moved = significant.filter { ($0.difference > 0) == (slower > faster) }
    let most = max(slower, faster) * 2 / 3
    // A caller contains the time of its callees, so the smallest of these is the innermost.
    let deepest =
      moved.filter { $0.kind == .total && $0.difference.magnitude >= most }
      .min { max($0.base, $0.candidate) < max($1.base, $1.candidate) }
    let leaves = moved.filter { $0.kind == .own && $0.key != deepest?.key }
    return Array(([deepest].compactMap(\.self) + leaves).prefix(limit))
  }

  /// Returns a warning if there are too few samples to find small changes.
  static func warnings(
    aboutSamplesOf times: (FunctionTimes, FunctionTimes)?, remedy: String
  ) -> [RunWarning] {
    guard let (old, new) = times else { return [] }
    let fewest = min(old.samples, new.samples)
    guard fewest < samplesNeeded else { return [] }
    return [
      RunWarning(
        code: "comparison.few_samples",
        message:
          "\(NumberFormat.grouped(fewest)) samples per side are too few to find a 20% change "
          + "of a function with 5% of the time; \(NumberFormat.grouped(samplesNeeded)) are needed",
        remedy: remedy)
    ]
  }

  /// Sums the profiles of both runs; nil if a side has no profile or no launch.
  static func times(_ base: Run, _ candidate: Run) -> (FunctionTimes, FunctionTimes)? {
    guard let old = base.profile, let new = candidate.profile, !base.measured.isEmpty,
      !candidate.measured.isEmpty
    else { return nil }
    return (
      FunctionTimes(old, launches: base.measured.map(\.index)),
      FunctionTimes(new, launches: candidate.measured.map(\.index))
    )
  }

  /// The time of a function in each launch of both sides.
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

  /// The interval of a function's difference, or nil, and the adjusted p-value.
  typealias FunctionTest = (interval: ClosedRange<Double>?, q: Double)

  private static func judgedBySide(_ rows: [Row]) -> [FunctionTest] {
    let pValues = rows.map { (try? RankSum.test($0.base, $0.candidate).p) ?? 1 }
    let qValues = (try? MultipleTests.benjaminiHochberg(pValues)) ?? pValues
    return zip(rows, qValues).map { row, q in
      let means = row.means
      let drift = RunComparer.drift * max(means.base, means.candidate)
      let shift = try? HodgesLehmann.shift(from: row.base, to: row.candidate)
      return (shift?.interval.map { ($0.lowerBound - drift)...($0.upperBound + drift) }, q)
    }
  }
}
