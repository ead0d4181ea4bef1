internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit baseline save|list|remove|export|import`.
struct BaselineVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Name runs to compare with in later gates.",
    discussion: """
      A baseline is one or more stored sessions of a scenario. From five sessions on, `gate` can \
      distinguish a change from the drift between sessions.

      Example:
        perfkit baseline save stable latest
        perfkit baseline save stable latest --add
        perfkit gate scroll-1000 --against stable
      """,
    subcommands: [Save.self, List.self, Remove.self, Export.self, Import.self])

  /// The verb `perfkit baseline save NAME REF...`.
  struct Save: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Save runs under a name.",
      usage: "perfkit baseline save [<options>] <name> <references> ...",
      discussion: """
        Example:
          perfkit baseline save stable latest
          perfkit baseline save stable latest --add
        """)

    @Argument(help: "The name of the baseline.")
    var name: String

    @Argument(help: "The runs, as in `perfkit show --help`.")
    var references: [String]

    @Flag(help: "Add the runs to the baseline instead of replacing its runs.")
    var add = false

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func validate() throws {
      do {
        try StoredName.check(name)
      } catch {
        throw ValidationError("\(error)")
      }
    }

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      let headers = try references.map { try store.resolve($0) }
      for run in try store.runs(ids: headers.map(\.id), including: []) {
        try run.checkLaunches(toBe: "saved in a baseline")
        guard !run.measured.isEmpty else {
          throw Failure(
            "run \(run.id) cannot be saved in a baseline: none of its launches completed. "
              + "See `perfkit show \(run.id)`.")
        }
        global.warn(
          run.warnings.filter(\.isOfProgram).map { $0.about("run \(run.id)") }, context)
      }
      let before = add ? [] : (try? store.baseline(named: name).runs) ?? []
      try store.saveBaseline(
        name, runs: headers.map(\.id), saved: context.workspace.now(), isAdding: add)
      let runs = try store.baseline(named: name).runs.map(\.id)
      reply.write(json: BaselineVerb.json(name, "saved", runs), context)
      let replaced =
        before.isEmpty
        ? "" : " in place of \(Wording.count(before.count, "earlier run")); --add keeps them"
      global.log("baseline '\(name)' has \(Wording.count(runs.count, "run"))\(replaced)", context)
      return .done
    }
  }

  /// The verb `perfkit baseline remove NAME`.
  struct Remove: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Remove a baseline and keep its runs.",
      usage: "perfkit baseline remove [<options>] <name>",
      discussion: """
        Example:
          perfkit baseline remove stable
        """)

    @Argument(help: "The name of the baseline.")
    var name: String

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      let runs = try store.baseline(named: name).runs.map(\.id)
      try store.removeBaseline(named: name)
      reply.write(json: BaselineVerb.json(name, "removed", runs), context)
      global.log("removed baseline '\(name)'", context)
      return .done
    }
  }
}
