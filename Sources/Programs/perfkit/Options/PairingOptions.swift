internal import ArgumentParser
internal import PerfReport
internal import PerfStatistics

/// The options of verbs that measure in pairs.
struct PairingOptions: ParsableArguments {
  /// How many pairs are made at most and at least where nothing is said.
  static let defaultPairs = (most: 40, least: 1)

  @Option(help: ArgumentHelp("Pairs at most.", valueName: "n"))
  var maxPairs = Self.defaultPairs.most

  @Option(
    help: ArgumentHelp(
      "Pairs at least, though all is decided: more samples of functions.", valueName: "n"))
  var minPairs = Self.defaultPairs.least

  @Flag(
    name: .customLong("allow-different-environments"), help: "Compare across machines, visibly.")
  var allowDifferentEnvironments = false

  func validate() throws {
    let (first, last) = (LookSchedule.firstLook, LookSchedule.lastLook)
    guard (first...last).contains(maxPairs) else {
      throw ValidationError(
        "--max-pairs must be from \(first) to \(last), not \(maxPairs): the first look is after "
          + "\(first) pairs, later when many metrics decide, and the last after \(last).")
    }
    guard (1...maxPairs).contains(minPairs) else {
      throw ValidationError(
        "--min-pairs must be from 1 to --max-pairs, \(maxPairs), not \(minPairs).")
    }
  }

  /// Refuses a number of pairs that can decide nothing.
  ///
  /// - Parameter gatingCount: How many metrics gate in the whole invocation.
  /// - Throws: `Failure` when the first look is after more pairs.
  func check(gatingCount: Int) throws {
    let first = try LookSchedule(metrics: gatingCount).looks[0].pairs
    guard maxPairs >= first else {
      throw Failure(
        "--max-pairs \(maxPairs) can decide nothing: with "
          + Wording.count(gatingCount, "metric that decides", "metrics that decide")
          + " the first look is after \(first) pairs. Allow as many, or compare fewer scenarios at "
          + "once.", status: .usage)
    }
  }

  /// What measures in pairs by these options.
  ///
  /// - Parameters:
  ///   - measuring: How launches are made.
  ///   - share: The time that it may take; nil for all that there is.
  /// - Returns: What measures one comparison.
  func measuring(_ measuring: Measuring, within share: TimeShare? = nil) -> PairedMeasuring {
    PairedMeasuring(
      measuring: measuring, minPairs: minPairs, maxPairs: maxPairs,
      allowsDifferentEnvironments: allowDifferentEnvironments,
      isOutOfTime: share?.isOver ?? measuring.isOutOfTime)
  }
}
