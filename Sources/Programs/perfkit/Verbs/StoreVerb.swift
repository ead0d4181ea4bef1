internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit store check|backup|vacuum|prune|export|import`.
struct StoreVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Check, copy, shrink and exchange the run store.",
    discussion: """
      Example:
        perfkit store check
        perfkit store backup runs-2026.sqlite
        perfkit store prune --keep 20
      """,
    subcommands: [
      Check.self, Backup.self, Vacuum.self, Prune.self, Export.self, Import.self,
    ])

  /// The verb `perfkit store check`.
  struct Check: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Check the store for damage, and exit with 1 if it is damaged.",
      usage: "perfkit store check [<options>]",
      discussion: """
        Example:
          perfkit store check
        """)

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let path = global.storePath(context)
      let damages: [String]
      do {
        damages = try global.readOnlyStore(context).check()
      } catch StoreError.damaged(_, let detail) {
        // The store cannot even be opened.
        damages = [detail]
      }
      let shown = "'\(context.workspace.shown(path))'"
      reply.write(
        damages.isEmpty
          ? ["\(shown) is not damaged."]
          : ["\(shown) is damaged:"] + damages
            + ["Restore a backup, or pass another --store."],
        json: .object([
          "schema": "perfkit.store-check/1", "store": .string(path),
          "damages": .array(damages.map(JSONValue.string)),
        ]), context)
      return damages.isEmpty ? .done : .gateFailed
    }
  }

  /// The verb `perfkit store backup FILE`.
  struct Backup: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Copy the store to a file, even while another command writes to it.",
      usage: "perfkit store backup [<options>] <file>",
      discussion: """
        Example:
          perfkit store backup runs-2026.sqlite
        """)

    @Argument(help: ArgumentHelp("Write to this file, which must not exist.", valueName: "file"))
    var file: String

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      let copy = context.workspace.absolute(file)
      try store.backUp(to: copy)
      reply.write(json: StoreVerb.json(of: store, file: copy), context)
      global.log("copied the store to '\(file)'", context)
      return .done
    }
  }

  /// The verb `perfkit store vacuum`.
  struct Vacuum: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Return unused space of the store to the file system.",
      usage: "perfkit store vacuum [<options>]",
      discussion: """
        Example:
          perfkit store vacuum
        """)

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      let before = StoreVerb.size(of: store.path)
      try store.vacuum()
      reply.write(json: StoreVerb.json(of: store, file: store.path, before: before), context)
      let sizes = [before, StoreVerb.size(of: store.path)].map {
        NumberFormat.human(Double($0), .size)
      }
      global.log(
        sizes[0] == sizes[1]
          ? "'\(store.path)' has no unused space and stays at \(sizes[0])"
          : "'\(store.path)' shrank from \(sizes[0]) to \(sizes[1])", context)
      return .done
    }
  }

  /// The verb `perfkit store prune --keep N`.
  struct Prune: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Remove all but the latest runs of each scenario and variant.",
      usage: "perfkit store prune [<options>] --keep <n>",
      discussion: """
        Runs of baselines and of decided comparisons are kept. Unfinished runs of the last 24 hours \
        are kept, as they may still be measured. If one run of a comparison is kept, all are.

        Example:
          perfkit store prune --keep 20
        """)

    @Option(
      help: ArgumentHelp(
        "Keep this many of the latest runs of each scenario and variant.", valueName: "n"))
    var keep: Int

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func validate() throws {
      guard keep >= 0 else { throw ValidationError("--keep must be 0 or more, not \(keep).") }
    }

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      let yesterday = Timestamp(milliseconds: context.workspace.now().milliseconds - 86_400_000)
      let removed = try store.prune(keeping: keep, unfinishedSince: yesterday)
      reply.write(
        removed.map { $0 + "\n" }.joined(),
        json: .object([
          "schema": "perfkit.store-prune/1", "store": .string(store.path),
          "removed": .array(removed.map(JSONValue.string)),
        ]), context)
      global.log("removed \(Wording.count(removed.count, "run"))", context)
      return .done
    }
  }

  /// Returns the size of a file in bytes; 0 if it is unknown.
  private static func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// Returns the document `perfkit.store-file/1` on a written file; `before` is its earlier size in bytes.
  private static func json(of store: RunStore, file: String, before: Int? = nil) -> JSONValue {
    .object([
      "schema": "perfkit.store-file/1", "store": .string(store.path), "file": .string(file),
      "bytes": .int(size(of: file)), "bytes_before": before.map { .int($0) } ?? .null,
    ])
  }
}
