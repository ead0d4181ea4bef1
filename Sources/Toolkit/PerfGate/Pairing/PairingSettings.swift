internal import PerfReport
public import PerfRunner
internal import PerfStatistics

/// The choices of how pairs are made.
public struct PairingSettings: Sendable {
  /// The most pairs of a comparison; nil for no limit of pairs.
  public var maxPairs: Int?
  /// The pairs that are measured even if every metric is decided earlier.
  public var minPairs: Int
  /// Whether different environments are compared nevertheless.
  public var allowsDifferentEnvironments: Bool
  /// Whether pairs are measured even if both sides are the same program.
  public var measuresSamePrograms: Bool
  /// Whether the executed instructions of both sides are counted before the first pair.
  public var countsWork: Bool
  /// The events that are counted besides instructions, calls and those of gating metrics.
  public var simulates: CountedEvents = []
  /// The number of links of each side with other layouts; nil for a single one.
  public var layouts: Int?
  /// Whether decided work does not end a comparison whose times are undecided.
  var waitsForTime = false
  /// The least time of an undecided comparison without limits.
  static let usualTime = Duration.seconds(60)

  /// Creates settings.
  public init(
    maxPairs: Int? = nil, minPairs: Int = 1, allowsDifferentEnvironments: Bool = false,
    measuresSamePrograms: Bool = false, countsWork: Bool = false, layouts: Int? = nil
  ) {
    self.maxPairs = maxPairs
    self.minPairs = minPairs
    self.allowsDifferentEnvironments = allowsDifferentEnvironments
    self.measuresSamePrograms = measuresSamePrograms
    self.countsWork = countsWork
    self.layouts = layouts
  }

  /// The refusal of layouts for programs that are not built.
  static let noLinks = Failure(
    "--randomize-layout links the programs of two revisions, which it needs. Compare revisions, or leave "
      + "it out.", status: .usage)

  /// Returns the most pairs, or the usual end, as a part of a plan's sentence.
  ///
  /// - Parameter hasTime: Whether the user limits the time.
  /// - Returns: The words.
  public func limit(hasTime: Bool) -> String {
    if let maxPairs { return "at most \(maxPairs) pairs each" }
    return hasTime
      ? "pairs until each is decided"
      : "each until it is decided, or after 60 s or \(LookSchedule.usualPairs) pairs, whichever is "
        + "later"
  }

  /// Refuses a limit of pairs, or a number of layouts, that permits no verdict.
  ///
  /// - Parameters:
  ///   - counts: The gating metrics of the whole invocation.
  ///   - isTry: Whether the earlier tries of a campaign, and not metrics, delay the first look.
  /// - Throws: `Failure` for wrong usage if the first look comes after more pairs or layouts.
  public func check(_ counts: GatingCounts, isTry: Bool = false) throws {
    // Counted metrics need no pairs.
    guard counts.timed > 0 else { return }
    let first = try counts.firstLook()
    let metrics = Wording.count(counts.timed, "gating metric")
    let verdict =
      isTry ? "the first verdict of this try" : "with \(metrics) the first verdict"
    let remedy = isTry ? "." : ", or fewer scenarios."
    if let layouts, layouts < first {
      throw Failure(
        "--randomize-layout \(layouts) is too small: the layouts are the units of the test, and "
          + "\(verdict) needs \(first) of them. Use "
          + "--randomize-layout \(first) or more\(remedy)", status: .usage)
    }
    guard let maxPairs, maxPairs < first else { return }
    throw Failure(
      "--max-pairs \(maxPairs) is too small: \(verdict) is possible after "
        + "\(first) pairs. Use --max-pairs \(first) or more\(remedy)", status: .usage)
  }
}
