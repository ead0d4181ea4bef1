internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

extension StoreVerb {
  /// The verb `perfkit store export FILE [REF...]`.
  struct Export: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Write runs to a file for another store.",
      usage: "perfkit store export [<options>] <file> [<ref> ...]",
      discussion: """
        The file is a run store itself: --store FILE reads it. REF is a run, or a comparison for all \
        its runs; without REF all runs are exported. Comparisons are exported with their runs, and \
        decisions with their comparisons. Baselines (see `perfkit baseline export`), noise \
        certificates, symbols and unfinished runs are not exported.

        Example:
          perfkit store export runs.sqlite
          perfkit store export slow.sqlite latest c1m7zm678xw1k2
        """)

    @Argument(help: ArgumentHelp("Write to this file, which must not exist.", valueName: "file"))
    var file: String

    @Argument(
      help: ArgumentHelp("The runs or comparisons. Default: all runs.", valueName: "ref"))
    var references: [String] = []

    @Flag(
      name: .customLong("metrics-only"),
      help: "Leave out profiles, frames, series and spans, which take most of the space.")
    var metricsOnly = false

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.readOnlyStore(context)
      let ids = try references.flatMap { reference in
        try store.comparisonRuns(reference) ?? [store.resolve(reference).id]
      }
      let target = context.workspace.absolute(file)
      let transfer = try store.export(
        to: target, runs: references.isEmpty ? nil : ids, including: metricsOnly ? [] : .all)
      reply.write(json: transfer.json(from: store.path, to: target), context)
      global.log("exported \(transfer.summary) to '\(file)'", context)
      for reference in references {
        if let note = Self.leftOut(reference, of: store, besides: ids) { global.log(note, context) }
      }
      global.logSkipped(transfer.unfinished, context)
      return .done
    }

    /// Returns a note on a baseline's runs that are not exported; nil if there are none.
    private static func leftOut(
      _ reference: String, of store: RunStore, besides ids: [String]
    ) -> String? {
      let name = reference.hasPrefix("baseline:") ? String(reference.dropFirst(9)) : reference
      guard let baseline = try? store.baseline(named: name),
        let run = try? store.resolve(reference), baseline.runs.contains(where: { $0.id == run.id }),
        !baseline.runs.allSatisfy({ ids.contains($0.id) })
      else { return nil }
      return "exported only the latest run of baseline '\(name)', which has "
        + "\(Wording.count(baseline.runs.count, "run")): `perfkit baseline export` writes all"
    }
  }

  /// The verb `perfkit store import FILE`.
  struct Import: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Read all runs, comparisons and decisions of another store.",
      usage: "perfkit store import [<options>] <file>",
      discussion: """
        Objects that this store already has are kept, so that a second import changes nothing. \
        Nothing is imported if the file is damaged, was written by a newer perfkit, or one of its \
        ids belongs to another object here. A decision receives a new number if its number is taken.

        Example:
          perfkit store import runs.sqlite
        """)

    @Argument(help: "A file that `perfkit store export` wrote, or any run store.")
    var file: String

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      // The file is checked first, so that no store is made for a damaged file.
      let path = context.workspace.absolute(file)
      let source = try ImportSource(path: path)
      let store = try RunStore(path: global.storePath(context))
      let transfer = try store.importContent(of: source)
      reply.write(
        json: transfer.json(from: path, to: store.path, renumbered: transfer.renumbered), context)
      let known = Wording.known(transfer.known, "in the store")
      global.log("imported \(transfer.summary)\(known)", context)
      for (old, new) in transfer.renumbered.sorted(by: { $0.key < $1.key }) {
        global.log("decision \(old) of '\(file)' has the number \(new) in this store", context)
      }
      global.logSkipped(transfer.unfinished, context)
      return .done
    }
  }
}

extension RunStore {
  /// Returns the ids of the runs of a comparison, its counted runs included; nil if the reference names none.
  ///
  /// - Throws: `Failure` if its runs were removed.
  func comparisonRuns(_ reference: String) throws -> [String]? {
    guard reference.hasPrefix("c"), !reference.contains(":"),
      let comparison = try? comparison(id: reference)
    else { return nil }
    guard !comparison.legs.isEmpty else {
      throw Failure(
        "comparison \(comparison.id) has no runs: its runs were removed from the store. "
          + "'perfkit list runs' lists the existing runs.")
    }
    let counted = comparison.design.counting?.legs.flatMap { [$0.base, $0.candidate] } ?? []
    return comparison.runs + counted.filter { (try? header(id: $0)) != nil }
  }
}

extension StoreTransfer {
  fileprivate var summary: String {
    "\(Wording.count(runs, "run")), \(Wording.count(comparisons, "comparison")) and "
      + Wording.count(decisions, "decision")
  }
}

extension Wording {
  /// Returns the clause about objects that a place had before a transfer; empty if there are none.
  static func known(_ count: Int, _ place: String) -> String {
    count > 0 ? "; \(self.count(count, "was", "were")) already \(place)" : ""
  }
}
