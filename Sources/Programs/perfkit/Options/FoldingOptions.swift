internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The code that is not shown as such.
struct FoldingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Count this code for the function of your program that called it: inlined library code, all library "
        + "code, or none. Default: inlined in tables of functions, none in flame graphs and "
        + "comparisons.",
      valueName: "inlined|library|none"),
    transform: { name in try choice(name, of: "folding", among: Folding.allCases) { $0.rawValue } })
  var fold: Folding?

  @Flag(
    name: .customLong("no-kernel"),
    help: "Count the kernel's functions for the function that called them.")
  var hidesKernel = false

  /// Whether an option is given.
  var areGiven: Bool { fold != nil || hidesKernel }

  /// Returns a run that is folded as asked for.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - folding: The folding without --fold.
  /// - Returns: The run.
  func apply(to run: Run, else folding: Folding = .none) -> Run {
    run.folded(fold ?? folding, showsKernel: !hidesKernel)
  }

  /// Returns the summary of a run whose flame graphs and tables are folded as asked for.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - store: The store with noise certificates.
  ///   - spans: The spans whose slowest ones the summary shows; nil for none.
  /// - Returns: The summary.
  /// - Throws: `Failure` if the run lacks these spans.
  func summary(
    of run: Run, in store: RunStore, slowest spans: SlowSpans.Choice?
  ) throws -> RunSummary {
    var summary = RunSummary(apply(to: run), in: store)
    summary.folding = fold ?? summary.folding
    summary.slowSpans = try spans.map {
      try SlowSpans.select($0, of: apply(to: run, else: summary.folding))
    }
    return summary
  }
}
