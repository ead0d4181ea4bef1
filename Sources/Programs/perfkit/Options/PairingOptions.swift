internal import ArgumentParser
internal import PerfGate
internal import PerfStatistics

/// The options of verbs that measure in pairs.
struct PairingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Stop after this many pairs.", valueName: "n"))
  var maxPairs = 40

  @Option(
    help: ArgumentHelp(
      "Keep measuring until this many pairs, for more profile samples.", valueName: "n"))
  var minPairs = 1

  @Flag(
    name: .customLong("allow-different-environments"),
    help: "Compare although the environments differ, and report the differences.")
  var allowDifferentEnvironments = false

  /// Refuses a limit of pairs that permits no verdict or changes none.
  static func check(_ maxPairs: Int, from first: Int) throws {
    let last = LookSchedule.lastLook
    guard (first...last).contains(maxPairs) else {
      throw ValidationError(
        "--max-pairs must be from \(first) to \(last), not \(maxPairs): no verdict is possible "
          + "before \(first) pairs, and none changes after \(last).")
    }
  }

  func validate() throws {
    try Self.check(maxPairs, from: LookSchedule.firstLook)
    guard (1...maxPairs).contains(minPairs) else {
      throw ValidationError(
        "--min-pairs must be from 1 to --max-pairs (\(maxPairs)), not \(minPairs).")
    }
  }

  var settings: PairingSettings {
    PairingSettings(
      maxPairs: maxPairs, minPairs: minPairs,
      allowsDifferentEnvironments: allowDifferentEnvironments)
  }
}
