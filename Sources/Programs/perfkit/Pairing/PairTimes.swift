internal import PerfModel
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// How long launches take, as far as the store knows from earlier ones.
struct PairTimes {
  /// What is going to be launched.
  struct LaunchKey {
    /// The scenario as its file says it.
    let scenario: Scenario
    /// The variant's name.
    let variant: String
    /// Whether the small parameter set is taken.
    let isQuick: Bool
    /// What the command line sets.
    let overrides: [ParameterOverride]

    /// Whether a run was launched with the same parameters, as far as the file and the command line
    /// say them.
    func isLike(_ run: Run) -> Bool {
      guard run.scenario == scenario.name, run.variant == variant else { return false }
      var wanted: [String: String] = [:]
      let layers = [
        scenario.parameters, isQuick ? scenario.quick ?? [:] : [:],
        scenario.variant(named: variant)?.parameters ?? [:],
      ]
      for layer in layers { wanted.merge(layer.mapValues(\.description)) { _, later in later } }
      for override in overrides { wanted[override.name] = override.text }
      let isSame = wanted.allSatisfy { name, text in
        HarnessParameter(rawValue: name) != nil || run.parameters[name]?.description == text
      }
      // What only the small set names has the workload's own value otherwise, which is not known here.
      let isSmall =
        !isQuick
        && (scenario.quick ?? [:]).contains { name, value in
          wanted[name] == nil && run.parameters[name]?.description == value.description
        }
      return isSame && !isSmall
    }
  }

  /// The store; nil where there is none yet.
  private let store: RunStore?

  /// Looks into a store.
  init(in store: RunStore) { self.store = store }

  /// Looks into the command's store, if it can be read.
  init(_ global: GlobalOptions, _ context: Context) {
    store = try? RunStore(path: global.storePath(context), access: .reading)
  }

  /// Returns how long a pair of a comparison took.
  ///
  /// - Parameter comparison: One that is stored.
  /// - Returns: The mean time from one launch to the next of the same side in nanoseconds, times the
  ///   launches of a pair; nil when too few were made.
  func timePerPair(of comparison: StoredComparison) -> Double? {
    timePerPair(of: comparison) { _ in true }
  }

  /// Returns how long a pair will probably take: as in the latest comparison of the same, or as the
  /// launches of the latest plain runs.
  ///
  /// - Returns: Nanoseconds; nil when nothing like it was launched.
  func timePerPair(_ base: LaunchKey, _ candidate: LaunchKey) -> Double? {
    let begin = "\(base.scenario.name):\(base.variant) at "
    let known = ((try? store?.comparisons()) ?? []).filter { $0.subject.hasPrefix(begin) }
    for comparison in known {
      if let time = timePerPair(of: comparison, where: candidate.isLike) { return time }
    }
    let legs = Set(known.flatMap(\.legs).flatMap { [$0.base, $0.candidate] })
    guard let old = plainLaunch(like: base, without: legs),
      let new = plainLaunch(like: candidate, without: legs)
    else { return nil }
    let launches = BlockStatistic.launchesPerPair(forLaunchOf: max(old.wall, new.wall) / 1e9)
    return (old.time + new.time) * Double(launches)
  }

  /// Returns how long a launch will probably take: as those of the latest plain run of the same.
  ///
  /// - Returns: Nanoseconds; nil when nothing like it was launched.
  func timePerLaunch(_ launch: LaunchKey) -> Double? {
    plainLaunch(like: launch, without: [])?.time
  }

  private func timePerPair(
    of comparison: StoredComparison, where isLike: (Run) -> Bool
  ) -> Double? {
    guard let launches = comparison.design.launchesPerPair, let leg = comparison.legs.last,
      let run = try? store?.run(id: leg.candidate, including: []), isLike(run)
    else { return nil }
    return Self.spacing(run).map { $0 * Double(launches) }
  }

  /// The mean time from one launch of the latest run to the next, and the longest measured phase.
  private func plainLaunch(
    like launch: LaunchKey, without legs: Set<String>
  ) -> (time: Double, wall: Double)? {
    let filter = RunFilter(scenario: launch.scenario.name, variant: launch.variant, limit: 20)
    for header in (try? store?.headers(filter)) ?? [] where !legs.contains(header.id) {
      guard let run = try? store?.run(id: header.id, including: []), launch.isLike(run),
        let time = Self.spacing(run), let wall = run.values(of: MetricName.wall).max()
      else { continue }
      return (time, wall)
    }
    return nil
  }

  private static func spacing(_ run: Run) -> Double? {
    guard let first = run.launches.first?.offset, let last = run.launches.last?.offset,
      run.launches.count > 1, last > first
    else { return nil }
    return Double(last - first) / Double(run.launches.count - 1)
  }
}
