internal import ArgumentParser
internal import PerfGate
internal import PerfHub
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit hub init|push|pull|list|prune|submit|jobs|cancel|wait`.
struct HubVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub",
    abstract: "Share runs between machines through a PostgreSQL database.",
    discussion: """
      A hub keeps the runs, comparisons, decisions and baselines of several machines. All other \
      verbs read the run store, so pull first. Passwords are those of libpq: in ~/.pgpass, \
      PGPASSWORD, PGSERVICE, or the URL. They are neither stored nor printed.

      Example:
        perfkit hub init postgresql://db.example.org/perfkit --writer ci
        perfkit hub push --all
        perfkit hub pull scroll-1000
      """,
    subcommands: [
      Init.self, Push.self, Pull.self, List.self, Prune.self, Submit.self, Jobs.self,
      Cancel.self, Wait.self,
    ])

  /// The verb `perfkit hub init URL`.
  struct Init: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Make a database a hub, or update its tables.",
      usage: "perfkit hub init [<options>] <url>",
      discussion: """
        The database must exist. The tables are in its schema 'perfkit', and belong to the user of \
        the URL, who alone may prune. Roles must exist, too; they receive rights, but no passwords.

        Example:
          perfkit hub init postgresql://db.example.org/perfkit
          perfkit hub init postgresql:///perfkit --writer ci --reader team
        """)

    @Argument(help: ArgumentHelp("The database.", valueName: "url"))
    var url: String

    @Option(
      name: .customLong("writer"), parsing: .singleValue,
      help: ArgumentHelp("Let this role push and pull; repeatable.", valueName: "role"))
    var writers: [String] = []

    @Option(
      name: .customLong("reader"), parsing: .singleValue,
      help: ArgumentHelp("Let this role pull only; repeatable.", valueName: "role"))
    var readers: [String] = []

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let address = try HubAddress(checking: url)
      let made = try Hub.initialise(
        address, writers: writers, readers: readers, isCancelled: context.workspace.isCancelled)
      let change =
        switch made.previous {
        case 0: "made"
        case made.current: "kept"
        default: "updated from schema \(made.previous)"
        }
      reply.write(
        json: .object([
          "schema": "perfkit.hub-init/1", "hub": .string("\(address)"),
          "tables": .int(made.current), "previous": .int(made.previous),
        ]), context)
      global.log("\(change) hub '\(address)' with schema \(made.current)", context)
      return .done
    }
  }

  /// The verb `perfkit hub push REF...`.
  struct Push: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Copy runs from the store to the hub.",
      usage: "perfkit hub push [<options>] [<ref> ...]",
      discussion: """
        REF is a run, a comparison, or a label, baseline, commit, scenario or scenario:variant for \
        all its runs. Comparisons are pushed with their runs, and decisions with their comparisons. \
        Items of the hub do not change, so that a second push has no effect. A run whose id has \
        another content on the hub is refused. Unfinished runs are not pushed.

        Example:
          perfkit hub push latest
          perfkit hub push --all
          perfkit hub push c1m7zm678xw1k2 baseline:stable
        """)

    @Argument(help: ArgumentHelp("Push these runs.", valueName: "ref"))
    var references: [String] = []

    @Flag(help: "Push all runs and baselines.")
    var all = false

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var place: HubPlaceOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func validate() throws {
      guard all != !references.isEmpty else {
        throw ValidationError("pass either the runs to push, e.g. latest, or --all.")
      }
    }

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.readOnlyStore(context)
      let baselines = Set(try store.baselines().map(\.name))
      var named: [String] = all ? baselines.sorted() : []
      var ids: [String] = try all ? store.headers().reversed().map(\.id) : []
      for reference in references {
        let name =
          reference.hasPrefix("baseline:") ? String(reference.dropFirst(9)) : reference
        if baselines.contains(name) { named.append(name) }
        ids += try store.comparisonRuns(reference) ?? store.runs(named: reference).map(\.id)
      }
      let hub = try place.connect(context)
      let transfer = try hub.push(ids, baselines: named, of: store) { done, all in
        context.console.bar { "pushing run \(done) of \(all)" }
      }
      context.console.clearBar()
      reply.write(json: transfer.json(from: store.path, to: hub.name), context)
      global.log(transfer.sentence(of: hub), context)
      global.logSkipped(transfer.unfinished, context)
      return .done
    }
  }

  /// The verb `perfkit hub pull REF...`.
  struct Pull: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Copy runs from the hub to the store.",
      usage: "perfkit hub pull [<options>] [<ref> ...]",
      discussion: """
        REF is as in `perfkit hub push --help`; without REF and filters all runs are pulled. \
        Comparisons come with their runs, decisions with their comparisons, and baselines when the \
        store has all their runs; the baseline that was saved last wins. Profiles, frames and \
        series come with --profiles, and with a single run or comparison as REF. Either all runs \
        are pulled, or none.

        Example:
          perfkit hub pull scroll-1000
          perfkit hub pull --scenario scroll-1000 --since 2026-11-01
          perfkit hub pull c1m7zm678xw1k2
        """)

    @Argument(
      help: ArgumentHelp("Pull these runs. Default: all that match.", valueName: "ref"))
    var references: [String] = []

    @OptionGroup
    var filter: HubFilterOptions

    @Flag(help: "Pull profiles, frames and series, too, which take most of the space.")
    var profiles = false

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var place: HubPlaceOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let hub = try place.connect(context)
      let store = try RunStore(path: global.storePath(context))
      let filter = filter.filter(references)
      let transfer = try hub.pull(
        filter, includesBulk: profiles || filter.namesOneItem, into: store
      ) { done, all in context.console.bar { "pulling run \(done) of \(all)" } }
      context.console.clearBar()
      reply.write(json: transfer.json(from: hub.name, to: store.path), context)
      let completed =
        transfer.completed > 0
        ? "; \(Wording.count(transfer.completed, "run")) received profiles" : ""
      let known = Wording.known(transfer.known, "in the store")
      global.log(
        "pulled "
          + HubTransfer.summary(
            transfer.runs, transfer.comparisons, transfer.decisions, transfer.baselines)
          + " from '\(hub.name)'\(completed)\(known)", context)
      return .done
    }
  }
}
