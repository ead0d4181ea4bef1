internal import PerfModel

/// The values of one metric, pair by pair.
struct PairSeries {
  let launchesPerPair: Int
  /// The number of layouts that the pairs take in turn; 1 if nothing was linked anew.
  private let layouts: Int
  /// The number of all pairs, lost ones included.
  private var made = 0
  /// The layout of each complete pair; without layouts each pair has its own.
  private var layoutOfPair: [Int] = []
  let statistic: BlockStatistic
  /// The values of all launches, for each complete pair.
  private var launches: [(base: [Double], candidate: [Double])] = []
  /// The CPU's pace right before each launch; nil if it is unknown for any launch, or not needed.
  private var paces: [(base: [[Double]], candidate: [[Double]])]?
  /// The number of pairs per side in which a launch has no value, or an impossible one.
  private(set) var lost = MetricComparison.Counts(base: 0, candidate: 0)
  /// The number of pairs per side in which a launch has an impossible value.
  private(set) var impossible = MetricComparison.Counts(base: 0, candidate: 0)
  /// The number of lost pairs with a failed launch.
  private(set) var failed = 0

  init(_ metric: MetricDefinition, launchesPerPair: Int, layouts: Int = 1) {
    self.launchesPerPair = launchesPerPair
    self.layouts = layouts
    statistic = BlockStatistic(for: metric)
    // Only times follow the CPU's pace.
    let isTime = metric.dimension == .time && metric.scale == .ratio && metric.direction != .neutral
    paces = isTime ? [] : nil
  }

  /// Adds a pair; it is lost if any of its launches has no value, or an impossible one.
  ///
  /// The minimum of three launches is larger than the minimum of four on average, so an incomplete
  /// pair cannot be used.
  mutating func add(_ pair: LaunchPair, _ metric: MetricDefinition) {
    let number = made
    made += 1
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
    layoutOfPair.append(layouts > 1 ? number % layouts : number)
    if let old = PaceCorrection.paces(of: pair.base),
      let new = PaceCorrection.paces(of: pair.candidate)
    {
      paces?.append((old, new))
    } else {
      paces = nil
    }
  }

  var count: Int { launches.count }

  var hasLayouts: Bool { layouts > 1 }

  var isPositive: Bool {
    launches.allSatisfy { pair in (pair.base + pair.candidate).allSatisfy { $0 > 0 } }
  }

  /// The values of all launches, and one number per pair and side.
  struct Blocks {
    /// The values, normalised to the usual pace of the CPU if the pace is known.
    let launches: [(base: [Double], candidate: [Double])]
    let base: [Double]
    let candidate: [Double]
    /// The share of the pace that was removed, 0...1; nil if the pace is unknown.
    let paceShare: Double?
    /// The pairs by layout.
    let groups: LayoutGroups

    init(
      _ launches: [(base: [Double], candidate: [Double])], _ statistic: BlockStatistic,
      paceShare: Double?, _ groups: LayoutGroups
    ) {
      self.launches = launches
      self.paceShare = paceShare
      self.groups = groups
      base = launches.map { statistic.value(of: $0.base) }
      candidate = launches.map { statistic.value(of: $0.candidate) }
    }
  }

  /// Returns the launches and their statistics, normalised if the pace is known.
  func blocks() -> Blocks {
    let groups = LayoutGroups(layoutOfPair)
    guard let paces, launchesPerPair > 1, !launches.isEmpty, isPositive else {
      return Blocks(launches, statistic, paceShare: nil, groups)
    }
    let correction = PaceCorrection(
      zip(launches, paces).map { times, paces in
        .init(times: times.base + times.candidate, paces: paces.base + paces.candidate)
      })
    let corrected = zip(launches, paces).map { times, paces in
      (
        base: correction.corrected(.init(times: times.base, paces: paces.base)),
        candidate: correction.corrected(.init(times: times.candidate, paces: paces.candidate))
      )
    }
    return Blocks(
      corrected, correction.isFollowed ? .median : statistic, paceShare: correction.share, groups)
  }
}
