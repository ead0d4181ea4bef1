internal import ArgumentParser
internal import PerfClaims
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// The verb `perfkit list scenarios|workloads|variants|metrics|runs|comparisons|baselines|decisions`.
struct ListVerb: Verb {
  /// The kind of objects to list.
  enum ListedKind: String, ExpressibleByArgument, CaseIterable {
    case scenarios
    case workloads
    case variants
    case metrics
    case runs
    case comparisons
    case baselines
    case decisions
  }

  private static let usualFolder = "Scenarios"

  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract:
      "List scenarios, workloads, variants, metrics, runs, comparisons, baselines or decisions.",
    usage: "perfkit list [<options>] <kind>",
    discussion: """
      Example:
        perfkit list scenarios
        perfkit list workloads --verbose
        perfkit list runs --limit 20
      """)

  @Argument(help: ArgumentHelp("List these objects.", valueName: "kind"))
  var kind: ListedKind

  @Option(help: ArgumentHelp("Read the scenario files from this folder.", valueName: "dir"))
  var scenarios = ListVerb.usualFolder

  @Option(
    help: ArgumentHelp(
      "List the workloads and metrics of this worker. Default: perfkit.yml's, or BookWorkloads.",
      valueName: "name"))
  var worker: String?

  @Option(
    help: ArgumentHelp("List at most this many of the latest runs or comparisons.", valueName: "n"))
  var limit = 50

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    guard limit >= 1 else { throw ValidationError("--limit must be 1 or more, not \(limit).") }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let stories = kind == .scenarios ? self.stories(context) : []
    let readable = [.scenarios, .variants].contains(kind) ? try self.readable(context) : []
    let table =
      switch kind {
      case .scenarios:
        ListDocument.scenarios(
          readable.compactMap(\.self),
          headlines: Dictionary(
            stories.map { ($0.study.name, $0.headlineJSON) },
            uniquingKeysWith: { first, _ in first }))
      case .variants: ListDocument.variants(readable.compactMap(\.self))
      case .workloads: try workloadTable(context)
      case .metrics: try metricTable(context)
      case .runs: try runTable(context)
      case .comparisons: try comparisonTable(context)
      case .baselines: try BaselineVerb.table(of: global.readOnlyStore(context))
      case .decisions: try decisionTable(context)
      }
    try output.write(
      table, and: ClaimStory.headlines(of: stories), titled: kind.rawValue, global: global,
      context: context)
    return readable.contains { $0 == nil } ? .failed : .done
  }

  // MARK: - Scenarios and workers

  /// Returns the headline numbers of the case studies with their last verdicts.
  ///
  /// An error goes to standard error, since the scenarios can be listed in any case.
  private func stories(_ context: Context) -> [ClaimStory] {
    do {
      let verdicts = try StudyVerdicts(scenarios: scenarios, global: global, context)
      return try verdicts.studies.map { try verdicts.story(of: $0, isWhole: false) }
    } catch {
      context.console.error("perfkit: \(error)")
      return []
    }
  }

  /// Returns the scenarios of all files, nil for a file with an error, which goes to standard error.
  private func readable(_ context: Context) throws -> [Scenario?] {
    let folder = context.workspace.absolute(scenarios)
    var library = ScenarioLibrary(folder: folder)
    if scenarios == Self.usualFolder {
      library.workingDirectory = context.workspace.workingDirectory
    }
    return try library.entries().map { entry in
      switch entry.result {
      case .success(let file): return file.scenario
      case .failure(let error):
        context.console.error("perfkit: \(error)")
        return nil
      }
    }
  }

  /// Returns the path of the worker.
  private func program(_ workspace: Workspace) throws -> String {
    let folder = workspace.workingDirectory
    let root = (try? workspace.checkout(isStoppable: false))?.root ?? folder
    let project = try ProjectFile.ofTree(root, at: folder)
    let place = "\(root)/\(project?.place ?? "")"
    let finder = workspace.projectFinder(
      products: project.map { place + $0.products }, build: project?.build ?? [],
      in: String(place.dropLast()))
    if let worker {
      return try finder.path(
        of: worker.contains("/") ? .path(worker) : .product(worker), directory: folder)
    }
    return try finder.path(of: project?.worker ?? .product("BookWorkloads"), directory: place)
  }

  private func description(_ context: Context) throws -> WorkerDescription {
    let workspace = context.workspace
    return try ScenarioRunner.describe(
      program: [try program(workspace)], isCancelled: workspace.isCancelled)
  }

  private func workloadTable(_ context: Context) throws -> Table {
    let worker = try description(context)
    guard global.verbose || output.format != .text else {
      return Table(
        id: "workloads", title: "Workloads of \(worker.suite)",
        columns: [.init("workload"), .init("summary", isFlexible: true)],
        rows: worker.workloads.map { [.init($0.name, .strong), .init($0.summary)] },
        caption: "--verbose lists their parameters.")
    }
    // Machine formats have no group, or its title as one text.
    let namesWorkloads = output.format != .text
    let groups = worker.workloads.map { workload in
      Table.Group(
        title: "\(workload.name): \(workload.summary)",
        rows: workload.parameters.map { parameter in
          let kind = parameter.choices?.joined(separator: "|") ?? parameter.kind.rawValue
          return (namesWorkloads ? [.init(workload.name)] : []) + [
            .init(parameter.name, .strong), .init(kind),
            .init(parameter.defaultValue.description, json: parameter.defaultValue.json),
            .init(parameter.summary ?? ""),
          ]
        })
    }
    return Table(
      id: "workloads", title: "Workloads of \(worker.suite)",
      columns: (namesWorkloads ? [.init("workload")] : []) + [
        .init("parameter"), .init("type"), .init("default", .trailing),
        .init("summary", isDetail: true),
      ], groups: groups)
  }

  private func metricTable(_ context: Context) throws -> Table {
    let standard = MetricCatalog.standardDefinitions
    let names = Set(standard.map(\.name))
    // If the worker cannot be asked, the harness's metrics are listed alone.
    let counters = (try? description(context))?.workloads.flatMap(\.counters) ?? []
    let own = MetricCatalog(counters).definitions.values.filter { !names.contains($0.name) }
    return ListDocument.metrics(standard + own.sorted { $0.name < $1.name })
  }

  // MARK: - The store

  private func runTable(_ context: Context) throws -> Table {
    let store = try global.readOnlyStore(context)
    let headers = try store.headers(RunFilter(limit: limit))
    let rows = headers.map { header -> [Table.Cell] in
      let commit = header.commit.map { String($0.prefix(10)) } ?? ""
      let failed = header.failed > 0 ? ", \(header.failed) failed" : ""
      let state =
        switch header.state {
        case .finished: ""
        case .interrupted: " (interrupted)"
        // The run may still be measured, or its process may have been killed.
        case .running: " (unfinished)"
        }
      return [
        .init(header.id, .strong), .init(header.started), .init(header.subject),
        .init(
          "\(header.completed)\(failed)\(state)", header.failed > 0 ? .bad : .plain,
          json: .object([
            "launches": .int(header.completed), "failed": .int(header.failed),
            "state": .string(header.state.rawValue),
          ])),
        .init(header.label ?? ""), .init(commit + (header.isDirty == true ? "+" : ""), .muted),
      ]
    }
    return Table(
      id: "runs", title: "Runs",
      columns: [
        .init("run"), .init("started (UTC)", key: "started"),
        .init("scenario:variant", key: "subject", isFlexible: true),
        .init("launches", .trailing), .init("label", isDetail: true),
        .init("commit", isDetail: true),
      ], rows: rows,
      caption: rows.isEmpty ? "No runs yet. Make one with 'perfkit run SCENARIO'." : "")
  }

  private func comparisonTable(_ context: Context) throws -> Table {
    let store = try global.readOnlyStore(context)
    let comparisons = try store.comparisons(limit: limit)
    let rows = try comparisons.map { comparison -> [Table.Cell] in
      let sides = try comparison.legs.last.map { leg in
        try [leg.base, leg.candidate].map { id in
          let run = try store.header(id: id)
          let commit = run.commit.map { " " + $0.prefix(10) } ?? ""
          return run.subject + commit + (run.isDirty == true ? "+" : "")
        }
      }
      return [
        .init(comparison.id, .strong), .init(comparison.started),
        .init(sides?[0] ?? ""), .init(sides?[1] ?? ""),
        .init(
          comparison.legs.isEmpty ? "no runs" : comparison.isFinished ? "" : "unfinished", .muted),
      ]
    }
    return Table(
      id: "comparisons", title: "Comparisons of pairs",
      columns: [
        .init("comparison"), .init("started (UTC)", key: "started"),
        .init("base", isDetail: true), .init("candidate", isDetail: true), .init("state"),
      ], rows: rows,
      caption: rows.isEmpty
        ? "No comparisons yet. Make one with 'perfkit diff A B --scenario S'."
        : "'perfkit compare COMPARISON' prints the verdict, or why there is none."
          + (comparisons.contains { !$0.legs.isEmpty && !$0.isFinished }
            ? " Unfinished: a metric is undecided, a launch failed or the user stopped it; the same "
              + "command goes on."
            : ""))
  }

  private func decisionTable(_ context: Context) throws -> Table {
    let decisions = try Ledger.decisions(
      inStoreAt: global.storePath(context), and: LedgerFolder(in: context.workspace))
    let rows = decisions.map { decision -> [Table.Cell] in
      [
        .init("\(decision.number)", .strong, json: .int(decision.number)),
        .init(Timestamp(milliseconds: decision.decided)), .init(decision.scenario),
        .init(
          decision.isOfRules ? "loosened" : decision.verdict.rawValue,
          json: .string(decision.verdict.rawValue)), .init(decision.outcome.rawValue),
        .init(decision.because),
      ]
    }
    return Table(
      id: "decisions", title: "Decisions",
      columns: [
        .init("number", .trailing), .init("decided (UTC)", key: "decided"),
        .init("scenario", isFlexible: true), .init("verdict"), .init("outcome"),
        .init("because", isDetail: true),
      ], rows: rows,
      caption: rows.isEmpty
        ? "No decisions yet. Record one with 'perfkit decide COMPARISON --keep --because TEXT'."
        : "")
  }
}
