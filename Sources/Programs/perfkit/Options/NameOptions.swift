internal import ArgumentParser
internal import PerfModel

/// The form of functions' names.
struct NameOptions: ParsableArguments {
  @Flag(
    name: .customLong("full-names"), help: "Show functions with their modules and types.")
  var areFull = false

  func apply(to run: Run) -> Run { areFull ? run.withSignatures : run }
}
