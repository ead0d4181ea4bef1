internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Where a metric's history comes from: the stored runs, and the repository for their order.
struct HistorySource {
  /// The scenario's name.
  let scenario: String
  /// The variant; nil for the scenario's default one.
  let variant: String?
  /// The metric's name.
  let metric: String
  /// How many of the latest commits.
  var limit = 200
  /// Whether runs of other environments stay in the series.
  var allowsDifferentEnvironments = false
  /// The folder of the scenario files, which say the default variant.
  var scenarios = "Scenarios"

  /// Loads and orders the runs, and looks for changes.
  ///
  /// - Throws: `StoreError`, or `Failure` for a scenario, variant or metric that no run has.
  func document(_ global: GlobalOptions, _ context: Context) throws -> HistoryDocument {
    let store = try RunStore(path: global.storePath(context), access: .reading)
    let headers = try store.headers(RunFilter(scenario: scenario))
    guard !headers.isEmpty else { throw try unknownScenario(store) }
    let variant = try variant(among: headers, context)
    let measured = headers.filter { $0.variant == variant && $0.completed + $0.failed > 0 }
    let runs = try store.runs(ids: measured.map(\.id), including: [], metric: metric)
    let names = Set(runs.flatMap { $0.definitions.map(\.name) })
    guard names.contains(metric) else {
      throw Failure(
        "no run of \(scenario):\(variant) has a metric '\(metric)'"
          + hint(metric, names.sorted())
          + " 'perfkit list metrics' shows what there is.", status: .usage)
    }
    let found = repositoryHistory(runs.compactMap { $0.environment[.commit] }, context)
    let history = MetricHistory(
      of: runs, metric: metric, order: found?.order ?? [], limit: limit,
      allowsDifferentEnvironments: allowsDifferentEnvironments)
    guard let history else {
      throw Failure("no launch of \(scenario):\(variant) has a value of \(metric).")
    }
    return HistoryDocument(
      history, scenario: scenario, variant: variant, summaries: found?.summaries ?? [:],
      isInCommitOrder: found?.order.isEmpty == false)
  }

  /// The order of the commits; nil outside of a repository.
  private func repositoryHistory(_ commits: [String], _ context: Context) -> GitCheckout.History? {
    try? GitCheckout(containing: context.workingDirectory, variables: context.variables)
      .history(of: commits)
  }

  private func hint(_ name: String, _ known: [String]) -> String {
    let hint = NearestName.hint(for: name, among: known)
    return hint.isEmpty ? "." : hint
  }

  private func unknownScenario(_ store: RunStore) throws -> Failure {
    let known = Set(try store.headers().map(\.scenario)).sorted()
    guard !known.isEmpty else { return Failure("\(StoreError.noRuns(path: store.path))") }
    return Failure(
      "there is no run of a scenario '\(scenario)'\(hint(scenario, known)) "
        + "There are runs of \(known.joined(separator: ", ")).", status: .usage)
  }

  /// The variant that is meant: the one named, the scenario's default, or the only one.
  private func variant(among headers: [RunHeader], _ context: Context) throws -> String {
    let known = Set(headers.map(\.variant)).sorted()
    if let variant {
      guard known.contains(variant) else {
        throw Failure(
          "there is no run of \(scenario):\(variant)\(hint(variant, known)) "
            + "There are runs of \(known.joined(separator: ", ")).", status: .usage)
      }
      return variant
    }
    let file = try? ScenarioLibrary(folder: context.absolute(scenarios)).file(scenario)
    if let name = file?.scenario.defaultVariant, known.contains(name) { return name }
    guard known.count == 1 else {
      throw Failure(
        "\(scenario) has runs of \(known.joined(separator: ", ")); --variant says which.",
        status: .usage)
    }
    return known[0]
  }
}
