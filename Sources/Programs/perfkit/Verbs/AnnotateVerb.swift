internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit annotate REF FUNCTION`.
struct AnnotateVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "annotate",
    abstract: "Print the source lines of a function with their CPU time.",
    usage: "perfkit annotate [<options>] <ref> <function>",
    discussion: """
      FUNCTION is a name as in `perfkit show`, or a part of it. The source is read from the file that the \
      debug information names. Library code that is inlined into the function counts for the line that \
      called it.

      Example:
        perfkit annotate latest "ShelfPainter.paintTitle"
        perfkit annotate scroll-1000:naive decodeNow --fold none
      """)

  @Argument(help: ArgumentHelp("The run, as in `perfkit show --help`.", valueName: "ref"))
  var reference: String

  @Argument(help: "The function.")
  var function: String

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup
  var folding: FoldingOptions

  @OptionGroup
  var selection: FilterOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let store = try global.readOnlyStore(context)
    let run = folding.apply(
      to: try store.run(reference, including: [.profile]), else: .inlined)
    try run.checkSampling()
    guard let profile = run.profile, !profile.counts.isEmpty else {
      throw Failure(
        "run \(run.id) has no profile: it was measured with --no-profile, or no launch completed.")
    }
    let lines = SourceLines(
      of: try found(in: profile, of: run), in: profile, launches: run.sampled.count,
      filter: try selection.filter(of: run))
    guard lines.all > 0 else {
      throw Failure("run \(run.id) has no CPU samples of this selection. Leave out some filters.")
    }
    guard let path = lines.function.file, lines.lines.keys.contains(where: { $0 > 0 }) else {
      if let format = run.importedFormat {
        throw Failure(
          "function '\(lines.function.name)' has no source lines: the imported file (\(format)) contains "
            + "none. Import the profile as pprof, which has them.")
      }
      throw Failure(
        "function '\(lines.function.name)' has no source lines: '\(lines.function.module)' has no debug "
          + "information for it. Build it with -g.")
    }
    let text = context.workspace.source(path, of: run)
    let note =
      text == nil
      ? "The source file cannot be read at this path, so that only the numbers of lines are shown."
      : text?.note
    try output.write(
      Document(
        title: lines.function.name,
        blocks: [.facts([.init("file", path)]), .table(lines.table(text?.lines))]
          + (note.map { [.paragraph($0)] } ?? [])),
      json: lines.json(text?.lines, note: note), global: global, context: context)
    return .done
  }

  /// The most functions that an error lists.
  private static let mostListed = 8

  private func found(in profile: Profile, of run: Run) throws -> Profile.Function {
    let found = SourceLines.functions(named: function, in: profile)
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      let names = found.prefix(Self.mostListed).map { "'\($0.name)'" }.joined(separator: ", ")
      let rest = found.count - Self.mostListed
      throw Failure(
        "\(found.count) functions of run \(run.id) contain '\(function)': \(names)"
          + (rest > 0 ? " and \(rest) others" : "") + ". Write more of the name.", status: .usage)
    }
    throw Failure(
      "run \(run.id) has no sampled function '\(function)'"
        + NearestName.ending(for: function, among: profile.functions.map(\.name))
        + " 'perfkit show \(run.id)' lists the functions with the most CPU time.")
  }
}
