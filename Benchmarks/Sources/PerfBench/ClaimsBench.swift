internal import ArgumentParser
internal import Foundation
internal import PerfClaims
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfScenario
internal import PerfStore

/// Decides the claims of the case studies from the runs that `Scripts/claims` measured.
struct ClaimsBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "claims",
    abstract: "Decide the claims of the case studies from stored runs.",
    discussion: """
      Exits with 3 when a claim is stale or has no run, or when an expectation of a scenario is
      stale, and names it. Expectations that the runs break are printed as well. Example:
        Scripts/claims
      """)

  @Option(help: "The folder with the claims files.")
  var claims = "Scenarios/claims"

  @Option(help: "The folder with the scenarios.")
  var scenarios = "Scenarios"

  @Option(help: "The run store.")
  var store = ".perfkit/perfkit.sqlite"

  @Option(help: "Use only runs with this label.")
  var label = "claims"

  @Option(help: "The output folder for claims.md and claims.json.")
  var output = "Reports"

  @Flag(help: "Expect runs with the small parameter sets.")
  var quick = false

  @Flag(help: "Only print the scenarios with the variants that claims and expectations need.")
  var sources = false

  func run() throws {
    let studies = try ClaimsFile.studies(inFolder: claims)
    if sources {
      for line in neededRuns(of: studies.flatMap(\.claims)) { print(line) }
      return
    }
    let runs = try latestRuns()
    let document = try ClaimsDocument(studies) { claim in
      try ClaimJudge.finding(
        of: claim, run: { try runs.latest(scenario: $0.scenario, variant: $0.variant) },
        changes: runs.changes)
    } contrasts: {
      try Self.contrasts(by: runs)
    } runs: {
      runs.loaded
    }
    try DocumentFile.write(
      MarkdownRenderer().render(document.document), to: "\(output)/claims.md")
    try DocumentFile.write(document.json.text(), to: "\(output)/claims.json")
    try drawWeeks(runs)
    print(document.summary)
    for contrast in document.contrasts
    where contrast.isStale || [.broken, .notTestable].contains(contrast.result.verdict) {
      let words = [contrast.verdict, "\(contrast.result.expectation)", contrast.reason]
      print("\(contrast.scenario): " + words.filter { !$0.isEmpty }.joined(separator: ": "))
    }
    guard document.isComplete else {
      for row in document.open {
        print("\(row.claim.id): \(row.finding.verdict.words): \(row.finding.reason)")
      }
      throw ExitCode(3)
    }
  }

  private func latestRuns() throws -> LatestRuns {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    var settings = MeasuringSettings()
    settings.scenarioFolder = scenarios
    settings.isQuick = quick
    let workspace = Workspace(
      variables: ProcessInfo.processInfo.environment,
      workingDirectory: FileManager.default.currentDirectoryPath,
      programDirectory: (program as NSString).deletingLastPathComponent, version: "",
      isCancelled: { false })
    return LatestRuns(
      store: try RunStore(path: store, access: .reading), label: label,
      measuring: Measuring(
        settings: settings, workspace: workspace, storePath: store, observe: { _ in }))
  }

  /// Draws the figures of each week of the case study; does nothing when a week has no run.
  private func drawWeeks(_ runs: LatestRuns) throws {
    let weeks = try (0...6).compactMap { week in
      try runs.latest(scenario: "ablation-ladder", variant: "week-\(week)")
    }
    let metrics = [
      MetricName.frameRate, MetricName.frameDropped, MetricName.rssPeak, MetricName.cpuTotal,
    ]
    guard weeks.count == 7,
      let figure = LadderFigure.figure(
        of: weeks, metrics: metrics, title: "Epilogue, week by week")
    else { return }
    try ChartRenderer().draw(figure, format: .svg, to: "\(output)/claims-weeks.svg")
  }

  /// Judges the expectations of the scenarios of the loaded runs.
  private static func contrasts(by runs: LatestRuns) throws -> [ClaimContrast] {
    let scenarios = try runs.expectations()
    let loaded = runs.loaded
    return scenarios.flatMap { scenario in
      scenario.results.map { result in
        ClaimContrast(
          scenario: scenario.name, result: result, runs: loaded, changes: runs.changes)
      }
    }
  }

  /// Returns each scenario with the variants that claims or its expectations name, as arguments of
  /// `perfkit run`.
  private func neededRuns(of claims: [Claim]) -> [String] {
    var variants: [String: Set<String>] = [:]
    for source in claims.flatMap(\.readings).map(\.source) {
      variants[source.scenario, default: []].insert(source.variant)
    }
    let library = ScenarioLibrary(folder: scenarios)
    for name in variants.keys.sorted() {
      // `perfkit run` reports a scenario that cannot be read.
      let expectations = (try? library.file(name))?.scenario.expectations ?? []
      variants[name, default: []].formUnion(expectations.flatMap(\.variants))
    }
    return variants.sorted { $0.key < $1.key }.map { scenario, variants in
      ([scenario] + variants.sorted().map { "--variant \($0)" }).joined(separator: " ")
    }
  }
}
