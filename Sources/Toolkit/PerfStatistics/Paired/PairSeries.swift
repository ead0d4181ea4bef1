internal import Glibc
internal import PerfModel

/// The values of one metric, pair by pair.
struct PairSeries {
  /// How many launches of each side make a pair.
  let launchesPerPair: Int
  let statistic: BlockStatistic
  /// One number a pair, of the pairs that are complete.
  private(set) var base: [Double] = []
  private(set) var candidate: [Double] = []
  /// All launches, pair by pair.
  private(set) var launches: [(base: [Double], candidate: [Double])] = []
  /// Pairs of which a launch of that side lacks the metric, or has a value that it cannot have.
  private(set) var lost = (base: 0, candidate: 0)
  /// Those of the latter kind.
  private(set) var impossible = (base: 0, candidate: 0)
  /// Lost pairs of which a launch failed.
  private(set) var failed = 0

  init(_ metric: MetricDefinition, launchesPerPair: Int) {
    self.launchesPerPair = launchesPerPair
    statistic = BlockStatistic(for: metric)
  }

  /// Adds a pair; when any of its launches lacks the metric, or has a value that it cannot have, it is lost.
  ///
  /// The minimum of three launches lies above that of four, so what is left of a pair cannot stand
  /// in for it.
  mutating func add(_ pair: LaunchPair, _ metric: MetricDefinition) {
    func values(_ side: [LaunchPair.Values]) -> [Double]? {
      let found = side.compactMap { $0[metric.name] }.filter(metric.isPossible)
      return found.count == launchesPerPair && side.count == launchesPerPair ? found : nil
    }
    func isImpossible(_ side: [LaunchPair.Values]) -> Bool {
      side.contains { $0[metric.name].map(metric.isPossible) == false }
    }
    if isImpossible(pair.base) { impossible.base += 1 }
    if isImpossible(pair.candidate) { impossible.candidate += 1 }
    let (old, new) = (values(pair.base), values(pair.candidate))
    if old == nil { lost.base += 1 }
    if new == nil { lost.candidate += 1 }
    guard let old, let new else {
      if pair.hasFailedLaunch { failed += 1 }
      return
    }
    base.append(statistic.value(of: old))
    candidate.append(statistic.value(of: new))
    launches.append((old, new))
  }

  /// Complete pairs.
  var count: Int { base.count }

  /// Whether all values of all launches are positive.
  var isPositive: Bool {
    launches.allSatisfy { pair in (pair.base + pair.candidate).allSatisfy { $0 > 0 } }
  }

  /// Candidate minus base of each pair, of logarithms where the scale is a ratio.
  func differences(_ scale: MetricScale) -> [Double] {
    zip(base, candidate).map { old, new in scale == .ratio ? log(new) - log(old) : new - old }
  }
}
