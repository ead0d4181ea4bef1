internal import PerfModel
internal import PerfReport
public import PerfScenario
internal import PerfStatistics

/// The longest time that a planned measurement can take, without builds and launches under valgrind.
public struct WorstCase {
  /// A scenario to measure, with a variant for each side.
  public struct Item {
    let scenario: String
    /// The variants of both sides; nil for the default variant.
    let variants: (base: String?, candidate: String?)
    /// Nanoseconds of a pair in an earlier comparison of the same; nil to look for similar launches.
    var timePerPair: Double?

    /// Creates an item with one variant for both sides, or with a variant for each side.
    public init(_ scenario: String, _ base: String? = nil, _ candidate: String? = nil) {
      self.scenario = scenario
      variants = (base, candidate ?? base)
    }
  }

  private struct Part {
    let scenario: String
    /// Nanoseconds of all its launches.
    let longest: Double
    /// Nanoseconds of the launches that are made even if no time is left.
    let least: Double
    /// Whether no similar launch is stored, so that each launch counts with its timeout.
    let isBound: Bool
  }

  /// The estimates; items whose scenario cannot be read have none.
  private let parts: [Part]
  /// The nanoseconds of `--max-time`, or nil.
  private let maxTime: Double?
  /// Whether the work of a scenario is counted before its pairs.
  private let countsWork: Bool

  /// Estimates the longest time.
  ///
  /// - Parameters:
  ///   - items: The scenarios to measure.
  ///   - pairing: The choices of how pairs are made; nil for runs without pairs.
  ///   - settings: The choices of how launches are made.
  ///   - times: The durations of earlier launches.
  ///   - file: Reads the file of a scenario.
  public init(
    of items: [Item], pairing: PairingSettings?, settings: MeasuringSettings, times: LaunchTimes,
    file: (String) throws -> ScenarioFile
  ) {
    let hasLimit = pairing?.maxPairs != nil || settings.maxTime != nil
    let mostPairs = Double(
      pairing?.maxPairs ?? (hasLimit ? LookSchedule.mostPairs : LookSchedule.usualPairs))
    parts = items.compactMap { item in
      // The first pair is thrown away and measured in addition.
      func part(_ pair: Double, isBound: Bool) -> Part {
        let usual = hasLimit ? 0 : PairingSettings.usualTime / .nanoseconds(1) + pair * 2
        return Part(
          scenario: item.scenario, longest: max(pair * (mostPairs + 1), usual), least: pair * 2,
          isBound: isBound)
      }
      if pairing != nil, let time = item.timePerPair { return part(time, isBound: false) }
      guard let scenario = (try? file(item.scenario))?.scenario else { return nil }
      func launch(_ variant: String?) -> LaunchTimes.LaunchKey {
        LaunchTimes.LaunchKey(
          scenario: scenario, variant: variant ?? scenario.defaultVariant,
          isQuick: settings.isQuick, overrides: settings.overrides)
      }
      let candidate = launch(item.variants.candidate)
      let timeout = Double(scenario.timeout)
      guard pairing != nil else {
        let time = times.timePerLaunch(candidate)
        let launches =
          (settings.warmup ?? scenario.warmup) + (settings.iterations ?? scenario.iterations)
        return Part(
          scenario: item.scenario, longest: (time ?? timeout) * Double(launches),
          least: time ?? timeout, isBound: time == nil)
      }
      let known = times.timePerPair(launch(item.variants.base), candidate)
      return part(
        known ?? timeout * Double(2 * BlockStatistic.shortLaunches), isBound: known == nil)
    }
    maxTime = settings.maxTime.map { Double($0) }
    let isCounted = items.contains { item in
      let scenario = (try? file(item.scenario))?.scenario
      return scenario.map { $0.countsWork || $0.gate.namesWork } ?? false
    }
    countsWork = pairing.map { $0.countsWork || isCounted } ?? false
  }

  /// The nanoseconds of all items together.
  ///
  /// The last launches of a scenario may start just before its time is over, and its first launches
  /// are made in any case.
  private var total: Double {
    let longest = parts.reduce(0) { $0 + $1.longest }
    guard let maxTime else { return longest }
    return min(longest, maxTime + parts.reduce(0) { $0 + $1.least })
  }

  /// The scenarios without a similar launch in the store, each once.
  private var unknown: [String] { parts.filter(\.isBound).map(\.scenario).uniqued() }

  /// Returns the last part of a plan's sentence.
  public func sentence(isPaired: Bool) -> String {
    guard !parts.isEmpty else { return "the longest time is unknown until the revisions are built" }
    let limit = maxTime.map { limit in
      "no \(isPaired ? "pair" : "launch") starts after \(Self.text(limit)), except the first of each "
        + "scenario; "
    }
    let left = countsWork ? "builds and launches under valgrind" : "builds"
    let (text, names) = (Self.text(total), unknown)
    let reason =
      "is unknown, since \(Wording.list(names)) \(names.count == 1 ? "was" : "were") never measured here"
    // A bound by the timeouts says nothing beside the limit.
    let longest =
      names.isEmpty
      ? "at most about \(text)"
      : maxTime == nil
        ? "its time \(reason): at most \(text) if each launch took its whole timeout"
        : "the time of a \(isPaired ? "pair" : "launch") \(reason)"
    return "\(limit ?? "")\(longest), \(left) not counted"
  }

  /// Returns a plan with these and the common members for scripts, of the form `perfkit.plan/1`.
  func plan(_ members: [String: JSONValue]) -> JSONValue {
    var members = members
    members["schema"] = "perfkit.plan/1"
    members["max_time"] = maxTime.map { .unsigned(UInt64($0)) } ?? .null
    members["worst_case"] = .number(total)
    members["worst_case_by_timeout"] = .array(unknown.map { .string($0) })
    return .object(members)
  }

  private func longest(_ part: Part) -> Double {
    min(part.longest, maxTime.map { $0 + part.least } ?? .infinity)
  }

  /// Returns the longest time of a scenario in words; nil if its file cannot be read.
  func text(of scenario: String) -> String? {
    let matching = parts.filter { $0.scenario == scenario }
    return matching.isEmpty ? nil : Self.text(matching.reduce(0) { $0 + longest($1) })
  }

  /// Returns a duration in hours, minutes or a smaller unit.
  private static func text(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case 7.2e12...: "\(NumberFormat.significant(nanoseconds / 3.6e12, digits: 2)) h"
    case 1.2e11...: "\(NumberFormat.significant(nanoseconds / 6e10, digits: 2)) min"
    default: NumberFormat.human(nanoseconds, .time)
    }
  }
}
