internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// The history of a metric, from the stored runs and the order of the repository's commits.
struct HistorySource {
  let scenario: String
  /// The variant; nil for the scenario's default variant.
  let variant: String?
  let metric: String
  /// The most commits, counted from the latest.
  var limit = 200
  var allowsDifferentEnvironments = false
  /// The folder of the scenario files, which name the default variant.
  var scenarios = "Scenarios"

  /// Loads and orders the runs, and finds the changes.
  ///
  /// - Throws: `StoreError`, or `Failure` for an unknown scenario, variant or metric.
  func document(_ global: GlobalOptions, _ context: Context) throws -> HistoryDocument {
    let store = try global.readOnlyStore(context)
    let headers = try store.headers(RunFilter(scenario: scenario))
    guard !headers.isEmpty else { throw try unknownScenario(store) }
    let variant = try variant(among: headers, context)
    let measured = headers.filter { $0.variant == variant && $0.completed + $0.failed > 0 }
    if measured.isEmpty, let header = headers.first(where: { $0.variant == variant }) {
      try store.run(id: header.id, including: []).checkLaunches(toBe: "part of a history")
    }
    let runs = try store.runs(ids: measured.map(\.id), including: [], metric: metric)
    // The order of the definitions begins with the important metrics.
    let names = runs.flatMap { $0.definitions.map(\.name) }.uniqued()
    guard names.contains(metric) else {
      throw Failure(
        "no run of \(scenario):\(variant) has a metric '\(metric)'"
          + NearestName.ending(for: metric, among: names)
          + " 'perfkit list metrics' lists all metrics.")
    }
    let found = Self.repositoryHistory(runs.compactMap { $0.environment[.commit] }, context)
    guard let document = document(of: runs, measured[0], found) else {
      throw Failure("no launch of \(scenario):\(variant) has a value of \(metric).")
    }
    return document
  }

  /// Returns the history of the metric in runs of one subject; nil without a value.
  private func document(
    of runs: [Run], _ subject: RunHeader, _ found: GitCheckout.History?
  ) -> HistoryDocument? {
    MetricHistory(
      of: runs, metric: metric, order: found?.order ?? [], elsewhere: found?.elsewhere ?? [],
      limit: limit, allowsDifferentEnvironments: allowsDifferentEnvironments
    ).map { history in
      HistoryDocument(
        history, scenario: subject.scenario, variant: subject.variant,
        summaries: found?.summaries ?? [:], isInCommitOrder: found?.order.isEmpty == false,
        hasScenarioFile: runs.last?.hasScenarioFile ?? true)
    }
  }

  /// Finds the metrics that are worse than before.
  ///
  /// - Parameters:
  ///   - scenario: The only scenario; nil for all.
  ///   - variant: The only variant; nil for all.
  ///   - metric: The only metric; nil for all with a better direction.
  ///   - limit: The most commits of a history, counted from the latest.
  ///   - isMixed: Whether runs of different environments are compared.
  ///   - global: The place of the store.
  ///   - context: The surroundings of the command.
  /// - Returns: The regressions of all scenarios and variants.
  /// - Throws: `StoreError`, or `Failure` if no run matches.
  static func regressions(
    of scenario: String?, variant: String?, metric: String?, limit: Int, isMixed: Bool,
    _ global: GlobalOptions, _ context: Context
  ) throws -> RegressionsDocument {
    let store = try global.readOnlyStore(context)
    let headers = try store.headers(RunFilter(scenario: scenario, variant: variant))
      .filter { $0.completed + $0.failed > 0 }
    let subjects = Dictionary(grouping: headers, by: \.subject).values
      .sorted { $0[0].subject < $1[0].subject }
    let histories = try subjects.flatMap { headers -> [HistoryDocument] in
      let runs = try store.runs(ids: headers.map(\.id), including: [], metric: metric)
      let found = repositoryHistory(runs.compactMap { $0.environment[.commit] }, context)
      let names = Set(
        runs.flatMap { $0.definitions.filter { $0.direction != .neutral }.map(\.name) })
      return names.filter { metric == nil || $0 == metric }.sorted().compactMap { name in
        HistorySource(
          scenario: headers[0].scenario, variant: nil, metric: name, limit: limit,
          allowsDifferentEnvironments: isMixed
        ).document(of: runs, headers[0], found)
      }
    }
    guard !histories.isEmpty else {
      let ending =
        metric.map { NearestName.ending(for: $0, among: MetricCatalog.standard.names) } ?? "."
      throw Failure(
        "no run matches\(ending) 'perfkit list runs' lists all runs, 'perfkit list metrics' all metrics."
      )
    }
    return RegressionsDocument(histories)
  }

  /// Returns the order of the commits; nil outside of a repository.
  private static func repositoryHistory(
    _ commits: [String], _ context: Context
  ) -> GitCheckout.History? {
    try? context.workspace.checkout(isStoppable: false).history(of: commits)
  }

  private func unknownScenario(_ store: RunStore) throws -> Failure {
    let known = Set(try store.headers().map(\.scenario)).sorted()
    guard !known.isEmpty else { return Failure("\(StoreError.noRuns(path: store.path))") }
    return Failure(
      "there is no run of a scenario '\(scenario)'\(NearestName.ending(for: scenario, among: known)) "
        + "There are runs of \(known.joined(separator: ", ")).")
  }

  /// Returns the named variant, the scenario's default variant, or the only one.
  private func variant(among headers: [RunHeader], _ context: Context) throws -> String {
    let known = Set(headers.map(\.variant)).sorted()
    if let variant {
      guard known.contains(variant) else {
        throw Failure(
          "there is no run of \(scenario):\(variant)\(NearestName.ending(for: variant, among: known)) "
            + "There are runs of \(known.joined(separator: ", ")).")
      }
      return variant
    }
    let file = try? ScenarioLibrary(folder: context.workspace.absolute(scenarios)).file(scenario)
    if let name = file?.scenario.defaultVariant, known.contains(name) { return name }
    guard known.count == 1 else {
      throw Failure(
        "\(scenario) has runs of several variants: \(known.joined(separator: ", ")). "
          + "Choose one with --variant.", status: .usage)
    }
    return known[0]
  }
}
