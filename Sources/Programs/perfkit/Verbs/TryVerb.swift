internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit try`.
struct TryVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "try",
    abstract: "Measure the checkout against the last kept state, and decide: keep or drop.",
    discussion: """
      The first try begins a campaign at HEAD. Each try measures WORKTREE in pairs against the \
      anchor, which is the last kept state. A change is kept if the metric improved by the margin \
      and no gating metric of the scenario regressed; with --count, or a gate that counts, it must \
      not do more work either. All tries of a campaign share one error \
      budget: on average at most one kept change in twenty is false, however many are tried. The \
      printed gain is corrected for having been selected. After a kept change the start of the \
      campaign is measured again, which gives the total.

      PerfKit changes no file: undo dropped changes yourself. A stopped try continues when the \
      command is repeated.

      Example:
        perfkit try --scenario palette-extract --because "sort once"
        perfkit try --because "reuse the buffer" --format json
        perfkit try --new --scenario scroll-1000 --metric wall --margin 2%
      """)

  @Option(help: ArgumentHelp("Say why the change should help.", valueName: "text"))
  var because: String?

  @Option(
    help: ArgumentHelp(
      "Measure this scenario. Default: the latest campaign's.", valueName: "name"))
  var scenario: String?

  @Option(help: ArgumentHelp("Measure this variant. Default: the scenario's.", valueName: "name"))
  var variant: String?

  @Option(
    help: ArgumentHelp(
      "Improve this metric. Default: cpu.total if it gates, else wall.", valueName: "name"))
  var metric: String?

  @Option(
    help: ArgumentHelp(
      "Keep no smaller gain, e.g. 2% or 1ms. Default: 1%.", valueName: "size"))
  var margin: MarginOverride?

  @Option(
    help: ArgumentHelp(
      "Begin the campaign at this revision. Default: HEAD.", valueName: "revision"))
  var anchor: String?

  @Flag(help: "Begin a new campaign.")
  var new = false

  @Flag(name: .customLong("exit-code"), help: "Exit with 1 if the change is dropped.")
  var exitCode = false

  @OptionGroup(title: "Comparing")
  var pairing: PairingOptions

  @OptionGroup(title: "Measuring")
  var measuring: MeasuringOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "Output")
  var length: DetailOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  var secrets: Redaction { measuring.redaction.redaction }

  func perform(_ context: Context) throws -> ExitStatus {
    var request = Trying.Request()
    (request.because, request.scenario, request.variant) = (because, scenario, variant)
    (request.metric, request.margin, request.anchor) = (metric, margin, anchor)
    request.beginsCampaign = new
    let measuring = Measuring(try measuring.settings(), global, context)
    let store = try RunStore(path: global.storePath(context))
    let result = try Trying(request, measuring: measuring, pairing: pairing.settings)
      .run(into: store)
    // The decision itself has at most 15 lines.
    let comparison = try (length.all ? result.document.comparison : nil).map {
      try PairedComparison(id: $0, inStoreAt: store.path).document().document
    }
    try output.write(
      result.document.document, json: result.document.json,
      short: [result.document.document] + [comparison].compactMap(\.self), global: global,
      context: context)
    if result.status == .done, exitCode, !result.document.isKept { return .gateFailed }
    return result.status
  }
}
