public import ArgumentParser
public import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit bisect GOOD BAD --scenario S --metric M`.
struct BisectVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "bisect",
    abstract: "Find the commit by which a metric regressed.",
    discussion: """
      Each step builds a commit, measures it in pairs against GOOD and judges it like a gate: a \
      regressed commit is bad, an equivalent or improved one is good. A commit is skipped if it does \
      not build, lacks the scenario, fails, or cannot be decided; it is listed if it may be the \
      first bad one. Commits along the first parents are tested; if a merge is the first bad \
      commit, the search continues in its branch. A commit whose program is the same as before is \
      not measured. When --max-time is over, the \
      remaining commits are listed.

      Example:
        perfkit bisect v1.2 HEAD --scenario scroll-1000 --metric cpu.total --margin 5%
      """)

  @Argument(help: "A revision at which the metric is good.")
  var good: String

  @Argument(help: "A later revision at which the metric is bad.")
  var bad: String

  @Option(help: ArgumentHelp("Measure this scenario.", valueName: "name"))
  var scenario: String

  @Option(help: ArgumentHelp("Search for the regression of this metric.", valueName: "name"))
  var metric: String

  @Option(
    help: ArgumentHelp(
      "Ignore smaller changes, e.g. 2% or 1ms. Default: the scenario's margin.", valueName: "size"))
  var margin: MarginOverride?

  @Option(
    help: ArgumentHelp("Measure this variant. Default: the scenario's.", valueName: "name"))
  var variant: String?

  @OptionGroup(title: "Comparing")
  var pairing: PairingOptions

  @OptionGroup(title: "Measuring")
  var measuring: MeasuringOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  var secrets: Redaction { measuring.redaction.redaction }

  func perform(_ context: Context) throws -> ExitStatus {
    var bisection = try Bisection(
      from: good, to: bad, scenario: scenario, metric: metric, variant: variant, margin: margin,
      measuring: Measuring(measuring.settings(), global, context), pairing: pairing.settings)
    let result = try bisection.run(into: RunStore(path: global.storePath(context)))
    try output.write(
      Document(title: "bisect", blocks: [.table(result.table)]), json: result.table.json,
      global: global, context: context)
    return result.status
  }
}

extension MarginOverride: ExpressibleByArgument {}
