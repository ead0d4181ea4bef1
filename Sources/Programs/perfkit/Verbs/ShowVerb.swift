internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfStore

/// The verb `perfkit show REF`.
struct ShowVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show all results of a run.",
    usage: "perfkit show [<options>] [<ref>]",
    discussion: """
      REF is a run id, latest, latest~2, a label, the name of a baseline, a commit, or \
      scenario:variant for its latest run.

      Example:
        perfkit show latest
        perfkit show scroll-1000:naive --format json
        perfkit show latest --signpost decode --slowest 1%
      """)

  @Argument(help: ArgumentHelp("The run.", valueName: "ref"))
  var reference = "latest"

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup
  var names: NameOptions

  @OptionGroup
  var folding: FoldingOptions

  @OptionGroup(title: "Slowest spans")
  var spans: SlowSpanOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let store = try global.readOnlyStore(context)
    let summary = try folding.summary(
      of: names.apply(to: try store.run(reference)), in: store, slowest: spans.choice)
    try output.write([summary.document], global: global, context: context)
    return .done
  }
}
