internal import ArgumentParser
internal import PerfModel
internal import PerfReport
internal import PerfStore

extension StoreVerb {
  /// The verb `perfkit store export FILE [REF...]`.
  struct Export: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Write runs to a file, for another store.",
      discussion: """
        The file is a run store of its own: --store FILE reads it as well. REF is a run, or a comparison \
        whose runs are meant; without one all runs go. Comparisons go with their runs, decisions with \
        their comparisons. Baselines (`perfkit baseline export`), certificates, symbols and runs that are \
        unfinished stay.

        Example:
          perfkit store export runs.sqlite
          perfkit store export slow.sqlite latest c1m7zm678xw1
        """)

    @Argument(help: ArgumentHelp("A file that is not there yet.", valueName: "file"))
    var file: String

    @Argument(help: ArgumentHelp("Runs or comparisons; none are all.", valueName: "ref"))
    var references: [String] = []

    @Flag(
      name: .customLong("metrics-only"),
      help: "Leave out profiles, frames, series and spans, which are most of the file.")
    var metricsOnly = false

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try RunStore(path: global.storePath(context), access: .reading)
      let ids = try references.flatMap { try runs($0, store) }
      let transfer = try store.export(
        to: context.absolute(file), runs: references.isEmpty ? nil : ids,
        including: metricsOnly ? [] : .all)
      global.say("'\(file)' has \(transfer.words)", context)
      transfer.sayUnfinished(global, context)
      return .done
    }

    private func runs(_ reference: String, _ store: RunStore) throws -> [String] {
      if reference.hasPrefix("c"), !reference.contains(":"),
        let comparison = try? store.comparison(id: reference)
      {
        guard !comparison.legs.isEmpty else {
          throw Failure(
            "cannot export comparison \(comparison.id): its runs are not in the store any more. "
              + "'perfkit list runs' shows those that there are.")
        }
        return comparison.legs.flatMap { [$0.base, $0.candidate] }
      }
      return [try store.resolve(reference).id]
    }
  }

  /// The verb `perfkit store import FILE`.
  struct Import: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Take all that another store holds.",
      discussion: """
        What is here already stays as it is, so that a second import changes nothing. Nothing changes \
        either when the file is broken, newer than this perfkit, or something else here has an id of it. \
        Decisions get another number where theirs is taken.

        Example:
          perfkit store import runs.sqlite
        """)

    @Argument(help: "A file that `store export` wrote, or any run store.")
    var file: String

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      // Looked at first: for a file that is broken no store is made.
      let source = try ImportSource(path: context.absolute(file))
      let store = try RunStore(path: global.storePath(context))
      let transfer = try store.importContent(of: source)
      let known = transfer.known > 0 ? "; \(transfer.known) were here already" : ""
      global.say("\(transfer.words) came\(known)", context)
      for (old, new) in transfer.renumbered.sorted(by: { $0.key < $1.key }) {
        global.say("decision \(old) of '\(file)' is decision \(new) here", context)
      }
      transfer.sayUnfinished(global, context)
      return .done
    }
  }
}

extension StoreTransfer {
  /// How much went.
  fileprivate var words: String {
    "\(Wording.count(runs, "run")), \(Wording.count(comparisons, "comparison")) and "
      + Wording.count(decisions, "decision")
  }

  /// Says which runs stayed.
  fileprivate func sayUnfinished(_ global: GlobalOptions, _ context: Context) {
    guard !unfinished.isEmpty else { return }
    global.say("unfinished, and left: \(unfinished.joined(separator: ", "))", context)
  }
}
