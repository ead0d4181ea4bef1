internal import ArgumentParser
internal import PerfGate

/// The option that measures benchmarks in place of scenarios.
struct SuiteOptions: ParsableArguments {
  @Flag(
    name: .customLong("package-benchmark"),
    help: ArgumentHelp(
      "Measure suites of package-benchmark; scenarios are named TARGET or TARGET/BENCHMARK. Default: "
        + "all."))
  var packageBenchmark = false

  /// Refuses the option.
  ///
  /// - Throws: `Failure` for wrong usage if the option is given.
  func refuse(with other: String) throws {
    guard packageBenchmark else { return }
    throw Failure(
      "--package-benchmark cannot be used with \(other): leave one out.", status: .usage)
  }
}
