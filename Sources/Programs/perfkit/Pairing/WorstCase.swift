internal import PerfModel
internal import PerfReport
internal import PerfScenario
internal import PerfStatistics

/// How long measuring takes at most, builds not counted.
struct WorstCase {
  /// A scenario, and what is launched of it.
  struct Item {
    /// The scenario's name.
    let scenario: String
    /// The variants of both sides; nil for the default one.
    let variants: (base: String?, candidate: String?)
    /// Nanoseconds that a pair of just this took before; nil to look for launches of its like.
    var timePerPair: Double?

    /// Creates what is measured by one variant.
    init(_ scenario: String, _ variant: String? = nil) {
      self.init(scenario, variant, variant)
    }

    /// Creates what is measured by a variant for each side.
    init(_ scenario: String, _ base: String?, _ candidate: String?) {
      self.scenario = scenario
      variants = (base, candidate)
    }
  }

  /// What is known of an item.
  struct Part {
    /// The scenario's name.
    let scenario: String
    /// Nanoseconds that all its launches take.
    let longest: Double
    /// Nanoseconds of what is launched however little time there is.
    let least: Double
    /// Whether nothing like it was launched before, so that each launch counts with its timeout.
    let isBound: Bool
  }

  /// The items of which something is known: how long they took, or their scenario.
  let parts: [Part]
  /// `--max-time` in nanoseconds, or nil.
  let maxTime: Double?

  /// Estimates.
  ///
  /// - Parameters:
  ///   - items: What is measured; what nothing is known of takes no time.
  ///   - maxPairs: Pairs at most; nil for plain runs.
  ///   - options: How launches are made.
  ///   - times: Knows earlier launches.
  ///   - file: Reads the file of a scenario.
  init(
    of items: [Item], maxPairs: Int?, options: MeasuringOptions, times: PairTimes,
    file: (String) throws -> ScenarioFile
  ) {
    let overrides = (try? options.parameterOverrides()) ?? []
    parts = items.compactMap { item in
      // One pair more than counts is made: the first is thrown away.
      func part(_ pair: Double, pairs: Int, isBound: Bool) -> Part {
        Part(
          scenario: item.scenario, longest: pair * Double(pairs + 1), least: pair * 2,
          isBound: isBound)
      }
      if let maxPairs, let time = item.timePerPair {
        return part(time, pairs: maxPairs, isBound: false)
      }
      guard let scenario = (try? file(item.scenario))?.scenario else { return nil }
      func launch(_ variant: String?) -> PairTimes.LaunchKey {
        PairTimes.LaunchKey(
          scenario: scenario, variant: variant ?? scenario.defaultVariant, isQuick: options.quick,
          overrides: overrides)
      }
      let candidate = launch(item.variants.candidate)
      let timeout = Double(scenario.timeout)
      guard let maxPairs else {
        let time = times.timePerLaunch(candidate)
        let launches =
          (options.warmup ?? scenario.warmup) + (options.iterations ?? scenario.iterations)
        return Part(
          scenario: item.scenario, longest: (time ?? timeout) * Double(launches),
          least: time ?? timeout, isBound: time == nil)
      }
      let known = times.timePerPair(launch(item.variants.base), candidate)
      return part(
        known ?? timeout * Double(2 * BlockStatistic.shortLaunches), pairs: maxPairs,
        isBound: known == nil)
    }
    maxTime = options.maxTime.map { Double($0.nanoseconds) }
  }

  /// Nanoseconds in all.
  ///
  /// The last launches of each scenario may begin right before its time is over, and the first ones
  /// are made after it as well.
  var total: Double {
    let longest = parts.reduce(0) { $0 + $1.longest }
    guard let maxTime else { return longest }
    return min(longest, maxTime + parts.reduce(0) { $0 + $1.least })
  }

  /// The scenarios of which nothing like it was launched before.
  var unknown: [String] {
    var seen: Set<String> = []
    return parts.filter(\.isBound).map(\.scenario).filter { seen.insert($0).inserted }
  }

  /// It in words, as the end of a plan's sentence.
  func sentence(isPaired: Bool) -> String {
    guard !parts.isEmpty else { return "how long at most is not known before it is built" }
    let limit = maxTime.map { limit in
      "no \(isPaired ? "pair" : "launch") begins after \(Self.text(limit)) but the first of each "
        + "scenario; "
    }
    let bound =
      unknown.isEmpty
      ? ""
      : ": a bound, as no launch of \(Wording.list(unknown)) is known yet and each counts with its "
        + "timeout"
    let about = unknown.isEmpty ? "about " : ""
    return "\(limit ?? "")at most \(about)\(Self.text(total)), builds not counted\(bound)"
  }

  /// Returns a plan for scripts.
  ///
  /// - Parameter members: What else it says.
  /// - Returns: An object of the form `perfkit.plan/1`.
  func plan(_ members: [String: JSONValue]) -> JSONValue {
    var members = members
    members["schema"] = "perfkit.plan/1"
    members["max_time"] = maxTime.map { .unsigned(UInt64($0)) } ?? .null
    members["worst_case"] = .number(total)
    // Of these nothing is known yet: each launch counts with its timeout.
    members["worst_case_by_timeout"] = .array(unknown.map { .string($0) })
    return .object(members)
  }

  /// Nanoseconds of some scenario, in words; nil when it cannot be read.
  func text(of scenario: String) -> String? {
    let own = parts.filter { $0.scenario == scenario }
    return own.isEmpty ? nil : Self.text(own.reduce(0) { $0 + $1.longest })
  }

  /// A time in the unit in which people plan.
  private static func text(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case 7.2e12...: "\(NumberFormat.significant(nanoseconds / 3.6e12, digits: 2)) h"
    case 1.2e11...: "\(NumberFormat.significant(nanoseconds / 6e10, digits: 2)) min"
    default: NumberFormat.human(nanoseconds, .time)
    }
  }
}
