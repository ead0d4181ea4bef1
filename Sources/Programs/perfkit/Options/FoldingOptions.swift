internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport

/// The code that is not shown as such.
struct FoldingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Count this code for the function of yours that called it: library code that is inlined into your "
        + "program, all library code, or none. Tables of functions have 'inlined'.",
      valueName: "inlined|library|none"),
    transform: { name in try choice(name, of: "folding", among: Folding.allCases) { $0.rawValue } })
  var fold: Folding?

  @Flag(
    name: .customLong("no-kernel"),
    help: "Count the kernel's functions for the function that called them.")
  var hidesKernel = false

  /// Returns a run with its flame graphs folded as asked for.
  func apply(to run: Run) -> Run { run.folded(fold ?? .none, showsKernel: !hidesKernel) }

  /// Returns the summary of a run that is folded as asked for.
  func apply(to summary: RunSummary) -> RunSummary {
    var summary = summary
    summary.folding = fold ?? .inlined
    return summary
  }
}
