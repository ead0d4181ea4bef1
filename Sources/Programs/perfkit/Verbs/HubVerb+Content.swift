internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfHub
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// A day on the command line, such as `2026-11-01`; its time is the beginning in UTC.
struct DateArgument: ExpressibleByArgument {
  let time: Timestamp

  init?(argument: String) {
    let style = Date.ISO8601FormatStyle().year().month().day()
    guard let date = try? Date(argument, strategy: style) else { return nil }
    time = Timestamp(milliseconds: Int64(date.timeIntervalSince1970 * 1000))
  }
}

/// The options that select runs of a hub.
struct HubFilterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Select only runs of this scenario.", valueName: "name"))
  var scenario: String?

  @Option(help: ArgumentHelp("Select only runs of this variant.", valueName: "name"))
  var variant: String?

  @Option(help: ArgumentHelp("Select only runs with this label.", valueName: "name"))
  var label: String?

  @Option(help: ArgumentHelp("Select only runs of the machine with this name.", valueName: "name"))
  var host: String?

  @Option(
    help: ArgumentHelp(
      "Select only runs from this day on, e.g. 2026-11-01 (UTC).", valueName: "date"))
  var since: DateArgument?

  @Option(help: ArgumentHelp("Select only this many of the latest runs.", valueName: "n"))
  var limit: Int?

  func validate() throws { try check(limit, "--limit", in: 1...10_000_000) }

  /// Returns the filter of the options and of references.
  func filter(_ references: [String]) -> HubFilter {
    var filter = HubFilter()
    filter.references = references
    (filter.scenario, filter.variant, filter.label) = (scenario, variant, label)
    (filter.host, filter.since, filter.limit) = (host, since?.time, limit)
    return filter
  }
}

extension HubFilter {
  /// Whether the only criterion is the id of a run or comparison, or `latest`.
  var namesOneItem: Bool {
    var plain = HubFilter()
    plain.references = references
    guard references.count == 1, self == plain else { return false }
    switch try? RunReference(references[0]) {
    case .latest, .named(.run, _): return true
    // The ids of RunIdentifier; a comparison's begins with c.
    case .any(let name): return name.wholeMatch(of: /[cr][0-9a-z]{11}(?:[0-9a-z]{2})?/) != nil
    default: return false
    }
  }
}

extension HubVerb {
  /// The verb `perfkit hub list`.
  struct List: Verb {
    static let configuration = CommandConfiguration(
      abstract: "List the runs of the hub, the latest first.",
      usage: "perfkit hub list [<options>] [<ref> ...]",
      discussion: """
        Example:
          perfkit hub list --scenario scroll-1000 --limit 20
        """)

    @Argument(
      help: ArgumentHelp(
        "List these runs, as in `perfkit hub push --help`. Default: all that match.",
        valueName: "ref"))
    var references: [String] = []

    @OptionGroup
    var filter: HubFilterOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "General")
    var place: HubPlaceOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func perform(_ context: Context) throws -> ExitStatus {
      let hub = try place.connect(context)
      var filter = filter.filter(references)
      filter.limit = filter.limit ?? 50
      let runs = try hub.runs(filter)
      try output.write(Self.table(of: runs), titled: "hub", global: global, context: context)
      return .done
    }

    private static func table(of runs: [HubRun]) -> Table {
      let rows = runs.map { run -> [Table.Cell] in
        let commit = run.commit.map { String($0.prefix(10)) } ?? ""
        let failed = run.failed > 0 ? ", \(run.failed) failed" : ""
        let size = run.recordBytes + (run.bulkBytes ?? 0)
        return [
          .init(run.id, .strong), .init(run.started), .init(run.subject),
          .init(
            "\(run.launches)\(failed)", run.failed > 0 ? .bad : .plain,
            json: .object(["launches": .int(run.launches), "failed": .int(run.failed)])),
          .init(run.host ?? ""), .init(run.label ?? ""),
          .init(commit + (run.isDirty == true ? "+" : ""), .muted), .init(run.pushedBy),
          .init(
            NumberFormat.human(Double(size), .size),
            json: .object([
              "bytes": .int(run.recordBytes),
              "profile_bytes": run.bulkBytes.map { .int($0) } ?? .null,
            ])),
        ]
      }
      return Table(
        id: "hub", title: "Runs of the hub",
        columns: [
          .init("run"), .init("started (UTC)", key: "started"),
          .init("scenario:variant", key: "subject", isFlexible: true),
          .init("launches", .trailing), .init("machine", isFlexible: true), .init("label"),
          .init("commit", isDetail: true), .init("pushed by", key: "pushed_by", isDetail: true),
          .init("size", .trailing),
        ], rows: rows,
        caption: rows.isEmpty ? "No run matches. Push one with 'perfkit hub push REF'." : "")
    }
  }

  /// The verb `perfkit hub prune`.
  struct Prune: Verb {
    static let configuration = CommandConfiguration(
      abstract: "Remove old runs, or only their profiles, from the hub.",
      usage: "perfkit hub prune [<options>]",
      discussion: """
        Runs are counted by scenario, variant and machine. Runs of baselines and of decided \
        comparisons are kept; if one run of a comparison is kept, all are. Profiles take most of \
        the space, so remove them first. --keep also counts finished jobs; waiting and running \
        ones are kept. It removes the shards of gates after a week.

        Example:
          perfkit hub prune --keep-profiles 20
          perfkit hub prune --keep 100 --since 2026-11-01
        """)

    @Option(
      help: ArgumentHelp(
        "Keep this many of the latest runs and finished jobs. Default: all.", valueName: "n"))
    var keep: Int?

    @Option(
      name: .customLong("keep-profiles"),
      help: ArgumentHelp(
        "Keep the profiles, frames and series of this many of the latest runs. Default: all.",
        valueName: "n"))
    var keepProfiles: Int?

    @Option(
      help: ArgumentHelp(
        "Keep all runs from this day on with their profiles, and all jobs, e.g. 2026-11-01 (UTC).",
        valueName: "date"))
    var since: DateArgument?

    @OptionGroup(title: "Output")
    var reply: ReplyOptions

    @OptionGroup(title: "General")
    var place: HubPlaceOptions

    @OptionGroup(title: "General")
    var global: GlobalOptions

    func validate() throws {
      try check(keep, "--keep", in: 0...10_000_000)
      try check(keepProfiles, "--keep-profiles", in: 0...10_000_000)
      guard keep != nil || keepProfiles != nil else {
        throw ValidationError("pass --keep or --keep-profiles with the number to keep.")
      }
    }

    func perform(_ context: Context) throws -> ExitStatus {
      let hub = try place.connect(context)
      let pruning = try hub.prune(
        HubRetention(runs: keep, profiles: keepProfiles, since: since?.time))
      reply.write(
        (pruning.removed + pruning.thinned.map { $0 + " (profile)" }
          + pruning.jobs.map { "\($0) (job)" }).map { $0 + "\n" }.joined(),
        json: .object([
          "schema": "perfkit.hub-prune/1", "hub": .string(hub.name),
          "removed": .array(pruning.removed.map(JSONValue.string)),
          "thinned": .array(pruning.thinned.map(JSONValue.string)),
          "jobs": .array(pruning.jobs.map { .int($0) }),
          "bytes": .int(pruning.bytes),
        ]), context)
      global.log(
        "removed \(Wording.count(pruning.removed.count, "run")), the profiles of "
          + "\(Wording.count(pruning.thinned.count, "run")) and "
          + "\(Wording.count(pruning.jobs.count, "job")) "
          + "(\(NumberFormat.human(Double(pruning.bytes), .size)))", context)
      return .done
    }
  }
}
