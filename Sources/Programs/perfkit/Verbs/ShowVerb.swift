internal import ArgumentParser
internal import PerfModel
internal import PerfStore

/// The verb `perfkit show REF`.
struct ShowVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one run, whole.",
    discussion: """
      REF is a run id, latest, latest~2, a label, a baseline's name, a commit, or \
      scenario:variant (its latest run).

      Example:
        perfkit show latest
        perfkit show scroll-1000:naive --format json
      """)

  @Argument(help: "Which run.")
  var reference = "latest"

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup
  var names: NameOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let stored = try StoredRuns(global, context)
    let summary = RunSummary(names.apply(to: try stored.run(reference)), in: stored.store)
    try RunSummary.write([summary], output: output, global: global, context: context)
    return .done
  }
}
