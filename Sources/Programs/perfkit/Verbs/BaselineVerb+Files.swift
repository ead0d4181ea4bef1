internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

extension BaselineVerb {
  /// The verb `perfkit baseline list`.
  struct List: Verb {
    static let configuration = CommandConfiguration(
      abstract: "List the baselines with their runs.",
      usage: "perfkit baseline list [<options>]",
      discussion: """
        Example:
          perfkit baseline list
        """)

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let table = try BaselineVerb.table(of: global.readOnlyStore(context))
      try output.write(table, titled: "baselines", global: global, context: context)
      return .done
    }
  }

  /// The verb `perfkit baseline export NAME`.
  struct Export: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Write a baseline to a file for another store.",
      usage: "perfkit baseline export [<options>] <name>",
      discussion: """
        The file is JSON with a checksum. It contains what a gate needs: the metrics, parameters, \
        budgets and environments of all runs. Profiles, frames and series are left out.

        Example:
          perfkit baseline export stable --output stable.baseline.json
        """)

    @Argument(help: "The name of the baseline.")
    var name: String

    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("Write to this file; - is standard output.", valueName: "file"))
    var output = "-"

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.readOnlyStore(context)
      let file = try store.baselineFile(of: name)
      try context.write(try file.text(), to: output)
      global.log("exported \(Wording.count(file.runs.count, "run")) of baseline '\(name)'", context)
      return .done
    }
  }

  /// The verb `perfkit baseline import FILE`.
  struct Import: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Read a baseline from an exported file.",
      usage: "perfkit baseline import [<options>] <file>",
      discussion: """
        A damaged file changes nothing. Runs keep their ids and environments, so that a gate on \
        another machine is void, unless --allow-different-environments is given.

        Example:
          perfkit baseline import stable.baseline.json
          perfkit baseline import stable.baseline.json --as ci-stable
        """)

    @Argument(help: "The file that `perfkit baseline export` wrote.")
    var file: String

    @Option(
      name: .customLong("as"),
      help: ArgumentHelp("Import it under another name.", valueName: "name"))
    var newName: String?

    @Flag(help: "Replace a baseline of the same name.")
    var replace = false

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      // One byte more than the largest file, so that an endless one is refused.
      let content = [UInt8](try context.read(file, upTo: BaselineFile.largestSize + 1))
      let read = try BaselineFile(content, path: file)
      let store = try RunStore(path: global.storePath(context))
      let result = try store.importBaseline(read, as: newName, isReplacing: replace)
      reply.write(
        json: BaselineVerb.json(result.name, "imported", read.runs.map(\.id)), context)
      let known = result.knownRuns > 0 ? ", \(result.knownRuns) of them already in the store" : ""
      global.log(
        "baseline '\(result.name)' has \(Wording.count(read.runs.count, "run"))\(known)", context)
      return .done
    }
  }

  /// Describes a changed baseline.
  ///
  /// - Parameters:
  ///   - name: The name of the baseline.
  ///   - effect: `saved`, `imported` or `removed`.
  ///   - runs: The ids of its runs.
  /// - Returns: The document `perfkit.baseline-change/1`.
  static func json(_ name: String, _ effect: String, _ runs: [String]) -> JSONValue {
    .object([
      "schema": "perfkit.baseline-change/1", "baseline": .string(name), "effect": .string(effect),
      "runs": .array(runs.map(JSONValue.string)),
    ])
  }

  /// Returns a table of all baselines, with a row for each run.
  static func table(of store: RunStore) throws -> Table {
    let rows = try store.baselines().flatMap { baseline in
      baseline.runs.map { run -> [Table.Cell] in
        [
          .init(baseline.name, .strong), .init(run.id), .init(run.started),
          .init(run.subject),
        ]
      }
    }
    return Table(
      id: "baselines", title: "Baselines",
      columns: [
        .init("baseline", isFlexible: true), .init("run"),
        .init("started (UTC)", key: "started"),
        .init("scenario:variant", key: "subject", isFlexible: true),
      ],
      rows: rows,
      caption: rows.isEmpty
        ? "No baselines yet. Save one with 'perfkit baseline save NAME REF'." : "")
  }
}
