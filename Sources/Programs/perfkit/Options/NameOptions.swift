internal import ArgumentParser
internal import PerfModel

/// How functions are called.
struct NameOptions: ParsableArguments {
  @Flag(
    name: .customLong("full-names"), help: "Names of functions with their modules and types.")
  var areFull = false

  /// Returns a run with the names that were asked for.
  func apply(to run: Run) -> Run { areFull ? run.withSignatures : run }
}
