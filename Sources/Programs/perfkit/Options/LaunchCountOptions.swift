internal import ArgumentParser

/// The number of launches of a run; comparisons of pairs determine it themselves.
struct LaunchCountOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Measure this many launches. Default: the scenario's.", valueName: "n"))
  var iterations: Int?

  @Option(
    help: ArgumentHelp(
      "Throw away this many launches first. Default: the scenario's.", valueName: "n"))
  var warmup: Int?

  func validate() throws {
    if let iterations, !(1...10_000).contains(iterations) {
      throw ValidationError("--iterations must be from 1 to 10000, not \(iterations).")
    }
    if let warmup, !(0...1000).contains(warmup) {
      throw ValidationError("--warmup must be from 0 to 1000, not \(warmup).")
    }
  }
}
