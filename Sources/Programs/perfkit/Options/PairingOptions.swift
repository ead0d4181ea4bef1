internal import ArgumentParser
internal import PerfGate
internal import PerfRunner
internal import PerfStatistics

/// The options of verbs that measure in pairs.
struct PairingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Stop after this many pairs. Without --max-pairs and --max-time an undecided comparison ends "
        + "after 60 s or 40 pairs, whichever is later.", valueName: "n"))
  var maxPairs: Int?

  @Option(
    help: ArgumentHelp(
      "Keep measuring until this many pairs, for more profile samples.", valueName: "n"))
  var minPairs = 1

  @Flag(
    help: "Count the executed instructions of both sides with valgrind, in two to four launches.")
  var count = false

  @Flag(help: "Count the misses of simulated caches as well; implies --count.")
  var cacheSim = false

  @Flag(
    help: ArgumentHelp(
      "Count the misses of a simulated branch predictor as well, in work.estimated_cycles; implies "
        + "--cache-sim."))
  var branchSim = false

  @Option(
    help: ArgumentHelp(
      "Link both revisions this often, each time with another order and padding of functions and data, "
        + "so that a change of layout is not taken for a change of the program, e.g. 12.",
      valueName: "n"))
  var randomizeLayout: Int?

  @Flag(
    name: .customLong("allow-different-environments"),
    help: "Compare although the environments differ, and report the differences.")
  var allowDifferentEnvironments = false

  @Flag(
    name: .customLong("measure-same"),
    help: "Measure pairs even if both sides are the same program, which is equivalent at once.")
  var measureSame = false

  /// Refuses a limit of pairs that permits no verdict or changes none.
  static func check(_ maxPairs: Int, from first: Int) throws {
    let last = LookSchedule.mostPairs
    guard (first...last).contains(maxPairs) else {
      throw ValidationError(
        "--max-pairs must be from \(first) to \(last), not \(maxPairs): no verdict is possible "
          + "before \(first) pairs, and none changes after \(last).")
    }
  }

  func validate() throws {
    if let maxPairs { try Self.check(maxPairs, from: LookSchedule.firstLook) }
    if let randomizeLayout, !(LookSchedule.firstLook...1000).contains(randomizeLayout) {
      throw ValidationError(
        "--randomize-layout must be from \(LookSchedule.firstLook) to 1000, not \(randomizeLayout): fewer "
          + "layouts permit no verdict.")
    }
    let most = maxPairs ?? LookSchedule.mostPairs
    guard (1...most).contains(minPairs) else {
      throw ValidationError(
        "--min-pairs must be from 1 to --max-pairs (\(most)), not \(minPairs).")
    }
  }

  var settings: PairingSettings {
    var settings = PairingSettings(
      maxPairs: maxPairs, minPairs: minPairs,
      allowsDifferentEnvironments: allowDifferentEnvironments, measuresSamePrograms: measureSame,
      countsWork: count || cacheSim || branchSim, layouts: randomizeLayout)
    // The estimated cycles need both.
    if cacheSim || branchSim { settings.simulates.insert(.cacheMisses) }
    if branchSim { settings.simulates.insert(.branchMisses) }
    return settings
  }
}
