internal import ArgumentParser
internal import Foundation
internal import PerfClaims
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// Decides the claims of the case studies from the runs that `Scripts/claims` measured.
struct ClaimsBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "claims",
    abstract: "Decide the claims of the case studies from stored runs.",
    discussion: """
      Exits with 3 when a claim has no run. Example:
        Scripts/claims
      """)

  @Option(help: "The folder with the claims files.")
  var claims = "Scenarios/claims"

  @Option(help: "The run store.")
  var store = ".perfkit/perfkit.sqlite"

  @Option(help: "Use only runs with this label.")
  var label = "claims"

  @Option(help: "The output folder for claims.md and claims.json.")
  var output = "Reports"

  @Flag(help: "Only print the scenarios and variants that the claims need, one per line.")
  var sources = false

  func run() throws {
    let claims = try ClaimsFile.claims(inFolder: claims)
    if sources {
      for line in Self.sources(of: claims) { print(line) }
      return
    }
    let runs = try LabelledRuns(store: store, label: label)
    let rows = try claims.map { claim in
      ClaimsDocument.Row(claim, try ClaimJudge.finding(of: claim, run: runs.latest))
    }
    let document = ClaimsDocument(rows, environment: runs.environment)
    try DocumentFile.write(
      MarkdownRenderer().render(document.document), to: "\(output)/claims.md")
    try DocumentFile.write(document.json.text(), to: "\(output)/claims.json")
    try drawWeeks(runs)
    print(document.summary)
    guard document.isComplete else {
      for row in rows where row.finding.verdict == .notMeasured {
        print("\(row.claim.id): \(row.finding.reason)")
      }
      throw ExitCode(3)
    }
  }

  /// Draws the figures of each week of the case study; does nothing when a week has no run.
  private func drawWeeks(_ runs: LabelledRuns) throws {
    let weeks = try (0...6).compactMap { week in
      try runs.latest(Claim.Source(scenario: "ablation-ladder", variant: "week-\(week)"))
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

/// The runs of a store with a label, each loaded once.
private final class LabelledRuns {
  private let store: RunStore
  private let label: String
  private var known: [Claim.Source: Run?] = [:]

  init(store path: String, label: String) throws {
    store = try RunStore(path: path, access: .reading)
    self.label = label
  }

  /// The environment of any run.
  var environment: Environment? { known.values.lazy.compactMap { $0?.environment }.first }

  /// Returns the latest run of a variant without its large parts; nil when there is none.
  func latest(_ source: Claim.Source) throws -> Run? {
    if let run = known[source] { return run }
    let filter = RunFilter(
      scenario: source.scenario, variant: source.variant, label: label, limit: 1)
    let run = try store.headers(filter).first.map { try store.run(id: $0.id, including: []) }
    known.updateValue(run, forKey: source)
    return run
  }
}
