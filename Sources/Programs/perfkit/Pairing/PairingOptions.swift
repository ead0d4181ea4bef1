internal import ArgumentParser

/// The options of verbs that measure in pairs.
struct PairingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Pairs at most.", valueName: "n"))
  var maxPairs = 40

  @Flag(
    name: .customLong("allow-different-environments"), help: "Compare across machines, visibly.")
  var allowDifferentEnvironments = false

  func validate() throws {
    guard (10...40).contains(maxPairs) else {
      throw ValidationError(
        "--max-pairs must be from 10 to 40, not \(maxPairs): the first look is after 10 pairs and "
          + "the last after 40.")
    }
  }

  /// What measures in pairs by these options.
  func measuring(_ measuring: Measuring) -> PairedMeasuring {
    PairedMeasuring(
      measuring: measuring, maxPairs: maxPairs,
      allowsDifferentEnvironments: allowDifferentEnvironments, isOutOfTime: measuring.isOutOfTime)
  }
}
