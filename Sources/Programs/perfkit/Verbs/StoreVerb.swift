internal import ArgumentParser
internal import Foundation
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The verb `perfkit store check|backup|vacuum|prune|export|import`.
struct StoreVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Take care of the run store.",
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
      abstract: "Look for damage; exits with 1 when there is any.",
      discussion: """
        Example:
          perfkit store check
        """)

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try RunStore(path: global.storePath(context), access: .reading)
      let damages = try store.check()
      guard damages.isEmpty else {
        context.console.write(damages.map { $0 + "\n" }.joined())
        return .gateFailed
      }
      context.console.write("'\(store.path)' is sound.\n")
      return .done
    }
  }

  /// The verb `perfkit store backup FILE`.
  struct Backup: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Write a copy of one moment, while others may write.",
      discussion: """
        Example:
          perfkit store backup runs-2026.sqlite
        """)

    @Argument(help: ArgumentHelp("A file that is not there yet.", valueName: "file"))
    var file: String

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      try store.backUp(to: context.absolute(file))
      global.say("the store is copied to '\(file)'", context)
      return .done
    }
  }

  /// The verb `perfkit store vacuum`.
  struct Vacuum: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Give unused space back to the disk.",
      discussion: """
        Example:
          perfkit store vacuum
        """)

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      func size() -> Double {
        let attributes = try? FileManager.default.attributesOfItem(atPath: store.path)
        return (attributes?[.size] as? NSNumber)?.doubleValue ?? 0
      }
      let before = size()
      try store.vacuum()
      global.say(
        "'\(store.path)' had \(NumberFormat.human(before, .size)) and has "
          + "\(NumberFormat.human(size(), .size))", context)
      return .done
    }
  }

  /// The verb `perfkit store prune --keep N`.
  struct Prune: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Remove the earlier runs of each scenario and variant.",
      discussion: """
        Runs of baselines, and of comparisons by which something was decided, stay. So do unfinished \
        ones of the last 24 hours, which may be being measured. Comparisons go whole: while one of \
        their runs stays, all do.

        Example:
          perfkit store prune --keep 20
        """)

    @Option(
      help: ArgumentHelp("How many of the latest runs of each stay.", valueName: "n"))
    var keep: Int

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func validate() throws {
      guard keep >= 0 else { throw ValidationError("--keep must be 0 or more, not \(keep).") }
    }

    func perform(_ context: Context) throws -> ExitStatus {
      let store = try global.existingStore(context)
      let dawn = Timestamp(milliseconds: context.now().milliseconds - 86_400_000)
      let removed = try store.prune(keeping: keep, unfinishedSince: dawn)
      context.console.write(removed.map { $0 + "\n" }.joined())
      global.say("\(Wording.count(removed.count, "run")) removed", context)
      return .done
    }
  }
}
