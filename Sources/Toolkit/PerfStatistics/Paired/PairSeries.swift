internal import Glibc
internal import PerfModel

/// The values of one metric, pair by pair.
struct PairSeries {
  /// How many launches of each side make a pair.
  let launchesPerPair: Int
  let statistic: BlockStatistic
  /// All launches, pair by pair, of the pairs that are complete.
  private(set) var launches: [(base: [Double], candidate: [Double])] = []
  /// How slow the CPU was right before each of them; nil when that is not known of all, or not wanted.
  private var paces: [(base: [[Double]], candidate: [[Double]])]?
  /// Pairs of which a launch of that side lacks the metric, or has a value that it cannot have.
  private(set) var lost = (base: 0, candidate: 0)
  /// Those of the latter kind.
  private(set) var impossible = (base: 0, candidate: 0)
  /// Lost pairs of which a launch failed.
  private(set) var failed = 0

  init(_ metric: MetricDefinition, launchesPerPair: Int) {
    self.launchesPerPair = launchesPerPair
    statistic = BlockStatistic(for: metric)
    // What is no time does not follow the CPU's pace.
    let isTime = metric.dimension == .time && metric.scale == .ratio && metric.direction != .neutral
    paces = isTime ? [] : nil
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
    launches.append((old, new))
    if let old = PaceCorrection.paces(of: pair.base),
      let new = PaceCorrection.paces(of: pair.candidate)
    {
      paces?.append((old, new))
    } else {
      paces = nil
    }
  }

  /// Complete pairs.
  var count: Int { launches.count }

  /// Whether all values of all launches are positive.
  var isPositive: Bool {
    launches.allSatisfy { pair in (pair.base + pair.candidate).allSatisfy { $0 > 0 } }
  }

  /// One number a pair and side, at the usual pace of the CPU where that is known.
  func blocks() -> PairBlocks {
    guard let paces, launchesPerPair > 1, !launches.isEmpty, isPositive else {
      return PairBlocks(
        base: launches.map { statistic.value(of: $0.base) },
        candidate: launches.map { statistic.value(of: $0.candidate) }, paceShare: nil)
    }
    let correction = PaceCorrection(
      zip(launches, paces).map { times, paces in
        .init(times: times.base + times.candidate, paces: paces.base + paces.candidate)
      })
    let paced = correction.isFollowed ? .median : statistic
    func values(_ times: [[Double]], _ paces: [[[Double]]]) -> [Double] {
      zip(times, paces).map {
        paced.value(of: correction.corrected(.init(times: $0, paces: $1)))
      }
    }
    return PairBlocks(
      base: values(launches.map(\.base), paces.map(\.base)),
      candidate: values(launches.map(\.candidate), paces.map(\.candidate)),
      paceShare: correction.share)
  }
}

/// The numbers that stand for the sides of pairs.
struct PairBlocks {
  let base: [Double]
  let candidate: [Double]
  /// How much of the CPU's pace was taken out, from 0 to 1; nil when it is not known.
  let paceShare: Double?

  /// Candidate minus base of each pair, of logarithms where the scale is a ratio.
  func differences(_ scale: MetricScale) -> [Double] {
    zip(base, candidate).map { old, new in scale == .ratio ? log(new) - log(old) : new - old }
  }
}
