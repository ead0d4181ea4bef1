internal import ArgumentParser
internal import PerfReport
internal import PerfStore

/// The verb `perfkit baseline save|list|remove|export|import`.
struct BaselineVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Name runs to gate against later.",
    discussion: """
      A baseline is one or more stored sessions of a scenario. With five or more of them, `gate` can \
      tell a change from the drift between sessions.

      Example:
        perfkit baseline save main latest
        perfkit baseline save main latest --add
        perfkit gate scroll-1000 --against main
      """,
    subcommands: [Save.self, List.self, Remove.self, Export.self, Import.self])

  /// The verb `perfkit baseline save NAME REF...`.
  struct Save: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Save runs under a name.",
      discussion: """
        Example:
          perfkit baseline save main latest
          perfkit baseline save main latest --add
        """)

    @Argument(help: "The baseline's name.")
    var name: String

    @Argument(help: "The runs.")
    var references: [String]

    @Flag(help: "Add to the runs that it has, in place of replacing them.")
    var add = false

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      let headers = try references.map { try store.resolve($0) }
      try store.saveBaseline(
        name, runs: headers.map(\.id), saved: context.now(), isAdding: add)
      let count = try store.baseline(named: name).runs.count
      global.say("baseline '\(name)' has \(Wording.count(count, "run"))", context)
      return .done
    }
  }

  /// The verb `perfkit baseline remove NAME`.
  struct Remove: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Remove a baseline; its runs stay.",
      discussion: """
        Example:
          perfkit baseline remove main
        """)

    @Argument(help: "The baseline's name.")
    var name: String

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      try store.removeBaseline(named: name)
      global.say("baseline '\(name)' is removed", context)
      return .done
    }
  }
}
