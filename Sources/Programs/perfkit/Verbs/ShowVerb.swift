internal import ArgumentParser
internal import PerfClaims
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfScenario
internal import PerfStore

/// The verb `perfkit show REF|STUDY`.
struct ShowVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show all results of a run, or the story of a case study.",
    usage: "perfkit show [<options>] [<ref>]",
    discussion: """
      REF is a run id, latest, latest~2, a label, the name of a baseline, a commit, or \
      scenario:variant for its latest run. The name of a case study, such as photos, shows its \
      headline numbers: claim, before, after and verdict. If a run has the same name, write study:photos.

      Example:
        perfkit show latest
        perfkit show scroll-1000:naive --format json
        perfkit show latest --signpost decode --slowest 1%
        perfkit show photos
      """)

  @Argument(help: ArgumentHelp("The run or the case study.", valueName: "ref"))
  var reference = "latest"

  @Option(
    help: ArgumentHelp(
      "Read expectations and the claims of case studies from this folder.", valueName: "dir"))
  var scenarios = "Scenarios"

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @Flag(help: "Print at most 15 lines of text.")
  var brief = false

  @OptionGroup
  var names: NameOptions

  @OptionGroup
  var folding: FoldingOptions

  @OptionGroup(title: "Slowest spans")
  var spans: SlowSpanOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  private static let studyPrefix = "study:"

  func perform(_ context: Context) throws -> ExitStatus {
    if let story = try story(context) {
      try output.write(story.document, json: story.json, global: global, context: context)
      return .done
    }
    let store = try global.readOnlyStore(context)
    var summary = try folding.summary(
      of: names.apply(to: try store.run(reference)), in: store, slowest: spans.choice)
    try StoredExpectations(in: context.workspace.absolute(scenarios), store: store)
      .complete(&summary)
    try output.write(
      [summary.document], detail: brief ? .brief : .all, global: global, context: context)
    return .done
  }

  /// Returns the story of the named case study; nil if the reference names a run, or neither.
  ///
  /// - Throws: `Failure` for an unknown study after `study:`, or a name that a run has as well.
  private func story(_ context: Context) throws -> ClaimStory? {
    let isStudy = reference.hasPrefix(Self.studyPrefix)
    let name = isStudy ? String(reference.dropFirst(Self.studyPrefix.count)) : reference
    if !isStudy, (try? global.readOnlyStore(context).resolve(reference)) != nil {
      let folder = "\(context.workspace.absolute(scenarios))/claims"
      guard (try? ScenarioLibrary(folder: folder).names())?.contains(name) == true else {
        return nil
      }
      throw Failure(
        "'\(name)' names a run and a case study. Pass study:\(name), or the ID of the run.",
        status: .usage)
    }
    let verdicts = try StudyVerdicts(scenarios: scenarios, global: global, context)
    if let study = verdicts.studies.first(where: { $0.isNamed(name) }) {
      return try verdicts.story(of: study)
    }
    guard isStudy else { return nil }
    let known = verdicts.studies.map(\.key).joined(separator: ", ")
    throw Failure(
      "there is no case study '\(name)' in '\(scenarios)/claims'. "
        + (known.isEmpty ? "The folder has no studies." : "Its studies are \(known)."))
  }
}
