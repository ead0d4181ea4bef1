public import PerfModel

extension FunctionComparer {
  /// Compares the functions of the slowest spans of a run with those of the spans in the middle.
  ///
  /// Each span gives one number per function: the time in nanoseconds that its thread was in the state.
  /// The means are compared by Welch's test, because most spans have no sample of most functions, and
  /// the Benjamini-Hochberg procedure corrects for the number of functions. The slowest spans are chosen
  /// by their duration, so that the tests say which functions have the extra time, not whether there is
  /// any.
  ///
  /// - Parameters:
  ///   - spans: The spans; the middle ones are the base.
  ///   - state: The state of the thread. A waiting thread is in the function that made it wait.
  /// - Returns: The functions with at least `smallestShare` of the time, largest difference first.
  /// - Note: Welch 1947, doi:10.1093/biomet/34.1-2.28; the degrees of freedom are those of
  ///   Satterthwaite 1946, doi:10.2307/3002019, rounded down.
  public func compare(_ spans: SlowSpans, in state: Profile.State) -> [FunctionComparison] {
    let old = SpanTimes(spans.middle, in: state)
    let new = SpanTimes(spans.slow, in: state)
    let names = Dictionary(
      spans.slow.profile.functions.map { ($0.key, $0.name) },
      uniquingKeysWith: Profile.Function.plainer)
    let all = old.mean + new.mean
    let kinds: [(FunctionComparison.Kind, KeyPath<SpanTimes, [String: SpanTimes.Sums]>)] = [
      (.own, \.own), (.total, \.total),
    ]
    return kinds.flatMap { kind, part in
      let rows = Set(old[keyPath: part].keys).union(new[keyPath: part].keys).sorted()
        .map { key in
          let none = SpanTimes.Sums()
          return (
            key: key,
            test: WelchTest(
              from: (old[keyPath: part][key] ?? none).moments(of: old.spans),
              to: (new[keyPath: part][key] ?? none).moments(of: new.spans))
          )
        }
        .filter { $0.test.base + $0.test.candidate >= Self.smallestShare * all }
      let pValues = rows.map { $0.test.p ?? 1 }
      let qValues = (try? MultipleTests.benjaminiHochberg(pValues)) ?? pValues
      return zip(rows, qValues).map { row, q in
        FunctionComparison(
          name: names[row.key] ?? row.key, key: row.key, kind: kind, base: row.test.base,
          candidate: row.test.candidate, low: row.test.interval?.lowerBound,
          high: row.test.interval?.upperBound, q: q,
          isSignificant: q <= Self.errorRate && row.test.interval?.contains(0) == false)
      }
    }
    .sorted { ($0.difference.magnitude, $1.key) > ($1.difference.magnitude, $0.key) }
  }
}

/// The time of each function in a group of spans.
struct SpanTimes {
  /// The sum over the spans, and the sum of the squares; spans without the function add 0.
  struct Sums {
    var sum = 0.0
    var squares = 0.0

    func moments(of count: Int) -> WelchTest.Side {
      let count = Double(count)
      let mean = sum / count
      return WelchTest.Side(
        count: Int(count), mean: mean, squares: max(0, squares - sum * mean))
    }
  }

  let spans: Int
  /// The mean time of a span in the state, in nanoseconds.
  private(set) var mean = 0.0
  /// The times without callees, by key of the function.
  private(set) var own: [String: Sums] = [:]
  /// The times with callees; recursive calls count once.
  private(set) var total: [String: Sums] = [:]

  /// Sums the samples of spans in a state.
  ///
  /// - Complexity: O(*nodes* x *depth* + *counts* x *depth*).
  init(_ group: SlowSpans.Group, in state: Profile.State) {
    let profile = group.profile
    spans = group.durations.count
    let keys = profile.nodes.map { profile.functions[$0.function].key }
    let isOutermost = profile.isOutermost(in: keys)
    var (ownOfSpan, totalOfSpan): ([String: Double], [String: Double]) = ([:], [:])
    var span = -1
    func close(_ times: inout SpanTimes) {
      for (key, time) in ownOfSpan { times.own[key, default: Sums()].add(time) }
      for (key, time) in totalOfSpan { times.total[key, default: Sums()].add(time) }
      (ownOfSpan, totalOfSpan) = ([:], [:])
    }
    for count in profile.counts where count.state == state {
      if count.launch != span {
        close(&self)
        span = count.launch
      }
      mean += count.weight / Double(spans)
      ownOfSpan[keys[count.node], default: 0] += count.weight
      var node = count.node
      while node >= 0 {
        if isOutermost[node] { totalOfSpan[keys[node], default: 0] += count.weight }
        node = profile.nodes[node].parent
      }
    }
    close(&self)
  }
}

extension SpanTimes.Sums {
  fileprivate mutating func add(_ time: Double) {
    sum += time
    squares += time * time
  }
}

/// Welch's test of the difference of two means.
struct WelchTest {
  /// A sample: its size, its mean, and the sum of the squared deviations from the mean.
  struct Side {
    let count: Int
    let mean: Double
    let squares: Double

    /// The squared standard error of the mean; nil for fewer than two values.
    fileprivate var squaredError: Double? {
      count < 2 ? nil : squares / Double(count - 1) / Double(count)
    }
  }

  /// The means.
  let base: Double
  let candidate: Double
  /// The 95 % interval of the difference, candidate minus base; nil if a side has fewer than two values
  /// or no side varies.
  private(set) var interval: ClosedRange<Double>?
  /// The two-sided p-value; nil as for the interval.
  private(set) var p: Double?

  /// Compares two samples.
  init(from base: Side, to candidate: Side) {
    (self.base, self.candidate) = (base.mean, candidate.mean)
    guard let old = base.squaredError, let new = candidate.squaredError, old + new > 0 else {
      return
    }
    let spread =
      old * old / Double(base.count - 1) + new * new / Double(candidate.count - 1)
    // From 10,000 degrees on, the distribution does not change visibly.
    let degrees = min(max(Int((old + new) * (old + new) / spread), 1), 10_000)
    let error = (old + new).squareRoot()
    let difference = candidate.mean - base.mean
    let reach = error * Distributions.studentTwoSided(confidence: 0.95, degrees: degrees)
    interval = (difference - reach)...(difference + reach)
    p = 1 - Distributions.studentCentral(abs(difference) / error, degrees: degrees)
  }
}
