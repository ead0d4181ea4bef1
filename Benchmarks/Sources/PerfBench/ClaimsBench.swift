internal import ArgumentParser
internal import Foundation
internal import PerfClaims
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// Decides the claims of the case studies from the runs that `Scripts/claims` measured.
struct ClaimsBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "claims",
    abstract: "Decide the claims of the case studies from stored runs.",
    discussion: """
      Exits with 3 when a claim is stale or has no run, and names it. Expectations of scenarios that
      the runs break are printed as well. Example:
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

  @Flag(help: "Only print the scenarios and variants that the claims need, one per line.")
  var sources = false

  func run() throws {
    let studies = try ClaimsFile.studies(inFolder: claims)
    if sources {
      for line in Self.sources(of: studies.flatMap(\.claims)) { print(line) }
      return
    }
    let runs = try latestRuns()
    var document = try ClaimsDocument(studies) { claim in
      try ClaimJudge.finding(
        of: claim, run: { try runs.latest(scenario: $0.scenario, variant: $0.variant) },
        changes: runs.changes)
    } runs: {
      runs.loaded
    }
    let contrasts = try runs.expectations()
    document.contrasts = Table.contrasts(of: contrasts)
    try DocumentFile.write(
      MarkdownRenderer().render(document.document), to: "\(output)/claims.md")
    try DocumentFile.write(document.json.text(), to: "\(output)/claims.json")
    try drawWeeks(runs)
    print(document.summary)
    for scenario in contrasts {
      for result in scenario.results where [.broken, .notTestable].contains(result.verdict) {
        let words = [result.verdict.rawValue, "\(result.expectation)", result.reason]
        print("\(scenario.name): " + words.filter { !$0.isEmpty }.joined(separator: ": "))
      }
    }
    guard document.open.isEmpty else {
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

  /// Returns each scenario with its variants, as arguments of `perfkit run`.
  private static func sources(of claims: [Claim]) -> [String] {
    var variants: [String: Set<String>] = [:]
    for source in claims.flatMap(\.readings).map(\.source) {
      variants[source.scenario, default: []].insert(source.variant)
    }
    return variants.sorted { $0.key < $1.key }.map { scenario, variants in
      ([scenario] + variants.sorted().map { "--variant \($0)" }).joined(separator: " ")
    }
  }
}
