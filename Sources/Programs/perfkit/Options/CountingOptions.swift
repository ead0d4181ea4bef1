internal import ArgumentParser
internal import PerfGate
internal import PerfRunner

/// The options that count instructions instead of measuring times.
struct CountingOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Count instructions and calls under valgrind (callgrind) instead of measuring times. "
        + "Default: two launches without warm-up."))
  var count = false

  @Flag(help: "Count the misses of simulated caches as well; with --count.")
  var cacheSim = false

  @Flag(
    help: ArgumentHelp(
      "Count the misses of a simulated branch predictor as well, in work.estimated_cycles; simulates caches "
        + "too; with --count."))
  var branchSim = false

  /// Refuses options that exclude each other.
  ///
  /// - Throws: `ValidationError`.
  func check(_ measuring: MeasuringOptions) throws {
    if cacheSim || branchSim, !count {
      throw ValidationError("--cache-sim and --branch-sim count events: add --count.")
    }
    if count, measuring.allocations || measuring.rate != nil {
      throw ValidationError(
        "--count takes no samples and counts no allocations: leave out --rate and --allocations.")
    }
  }

  /// Sets the counted events; two launches show whether the counts are equal.
  func apply(to settings: inout MeasuringSettings) {
    guard count else { return }
    var events: CountedEvents = []
    // The estimated cycles need both.
    if cacheSim || branchSim { events.insert(.cacheMisses) }
    if branchSim { events.insert(.branchMisses) }
    settings.counting = events
    settings.iterations = settings.iterations ?? 2
    settings.warmup = settings.warmup ?? 0
  }
}
