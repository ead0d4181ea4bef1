internal import PerfModel
internal import PerfScenario
internal import PerfStatistics
public import PerfStore

/// The durations of launches and pairs, estimated from earlier launches in the store.
public struct LaunchTimes {
  /// The parameters of a planned launch.
  struct LaunchKey {
    let scenario: Scenario
    let variant: String
    let isQuick: Bool
    /// The parameters that the command line sets.
    let overrides: [ParameterOverride]

    /// Returns whether a run was launched with the same parameters, as far as the file and the command
    /// line name them.
    func matches(_ run: Run) -> Bool {
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
      // A parameter that only the small set names has the workload's default otherwise, which is not
      // known here: a run with the small set's value is taken for a quick one.
      let isSmall =
        !isQuick
        && (scenario.quick ?? [:]).contains { name, value in
          wanted[name] == nil && run.parameters[name]?.description == value.description
        }
      return isSame && !isSmall
    }
  }

  /// The store; nil if there is none yet.
  private let store: RunStore?

  /// Estimates from a store.
  public init(in store: RunStore) { self.store = store }

  /// Estimates from the store at a path, if it can be read.
  public init(inStoreAt path: String) {
    store = try? RunStore(path: path, access: .reading)
  }

  /// Returns the duration of a pair of a stored comparison.
  ///
  /// - Returns: Nanoseconds: the mean time between two launches of the same side, times the launches of
  ///   a pair; nil if too few were made.
  func timePerPair(
    of comparison: StoredComparison, where matches: (Run) -> Bool = { _ in true }
  ) -> Double? {
    guard let launches = comparison.design.launchesPerPair, let leg = comparison.legs.last,
      let run = try? store?.run(id: leg.candidate, including: []), matches(run)
    else { return nil }
    return Self.timePerPair(run, launches: launches)
  }

  /// Returns the mean duration of a pair with this many launches per side; nil if it is unknown.
  static func timePerPair(_ run: Run, launches: Int) -> Double? {
    spacing(run).map { $0 * Double(launches) }
  }

  /// Returns the probable duration of a pair, from the latest matching comparison or the latest
  /// matching runs.
  ///
  /// - Returns: Nanoseconds; nil if no matching launch is stored.
  func timePerPair(_ base: LaunchKey, _ candidate: LaunchKey) -> Double? {
    let begin = "\(base.scenario.name):\(base.variant) at "
    let known = ((try? store?.comparisons()) ?? []).filter { $0.subject.hasPrefix(begin) }
    for comparison in known {
      if let time = timePerPair(of: comparison, where: candidate.matches) { return time }
    }
    let legs = Set(known.flatMap(\.legs).flatMap { [$0.base, $0.candidate] })
    guard let old = plainLaunch(matching: base, without: legs),
      let new = plainLaunch(matching: candidate, without: legs)
    else { return nil }
    let launches = BlockStatistic.launchesPerPair(forLaunchOf: max(old.wall, new.wall) / 1e9)
    return (old.time + new.time) * Double(launches)
  }

  /// Returns the probable duration of a launch, from the latest matching run.
  ///
  /// - Returns: Nanoseconds; nil if no matching launch is stored.
  func timePerLaunch(_ launch: LaunchKey) -> Double? {
    plainLaunch(matching: launch, without: [])?.time
  }

  /// The mean time between two launches of the latest matching run, and its longest measured phase.
  private func plainLaunch(
    matching launch: LaunchKey, without legs: Set<String>
  ) -> (time: Double, wall: Double)? {
    let filter = RunFilter(scenario: launch.scenario.name, variant: launch.variant, limit: 20)
    for header in (try? store?.headers(filter)) ?? [] where !legs.contains(header.id) {
      guard let run = try? store?.run(id: header.id, including: []), launch.matches(run),
        let time = Self.spacing(run), let wall = run.values(of: MetricName.wall).max()
      else { continue }
      return (time, wall)
    }
    return nil
  }

  private static func spacing(_ run: Run) -> Double? {
    let starts = run.launches.map { Double($0.offset) }
    // The pauses before later sessions are no part of a launch.
    let pauses = run.warnings.count { $0.code == RunWarning.resumedCode }
    let times = zip(starts.dropFirst(), starts).map { $0 - $1 }.sorted().dropLast(pauses)
    let sum = times.reduce(0, +)
    return sum > 0 ? sum / Double(times.count) : nil
  }
}
