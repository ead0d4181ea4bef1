public import PerfModel
internal import PerfReport

/// An expectation of a scenario, judged by stored runs, with the changes since these runs.
public struct ClaimContrast: Sendable {
  /// The name of the scenario.
  public let scenario: String
  /// The expectation with the verdict of the runs.
  public let result: ExpectationResult
  /// The changes since each stale run, as sentences; empty if all runs are fresh.
  private let changes: [String]

  /// Creates a contrast.
  ///
  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - result: The expectation with the verdict of its runs.
  ///   - runs: Runs of the scenario, among them the judged ones.
  ///   - changes: Returns the changes of a run's scenario, parameters and program since the run, as
  ///     clauses; empty if the run is fresh.
  public init(
    scenario: String, result: ExpectationResult, runs: [Run], changes: (Run) -> [String]
  ) {
    self.scenario = scenario
    self.result = result
    self.changes =
      result.verdict == .notMeasured
      ? [] : ClaimJudge.changes(since: runs.filter { result.runs.contains($0.id) }, changes)
  }

  /// Whether the scenario, its parameters or its program changed since a judged run.
  public var isStale: Bool { !changes.isEmpty }

  /// The verdict as it is printed.
  public var verdict: String { isStale ? "stale" : result.verdict.rawValue }

  /// The reason of the verdict; empty if the values suffice.
  public var reason: String {
    isStale
      ? (["Was \(result.verdict.rawValue)."] + changes).joined(separator: " ") : result.reason
  }
}

extension ClaimContrast {
  /// Returns the table of contrasts with their runs; nil if there are none.
  static func table(of contrasts: [ClaimContrast]) -> Table? {
    guard !contrasts.isEmpty else { return nil }
    return Table(
      id: "contrasts", title: "Contrasts of the variants",
      columns: [Table.Column("scenario")] + Table.expectationColumns + [Table.Column("runs")],
      rows: contrasts.map(\.cells),
      caption: Table.expectationCaption
        + " A stale contrast has a run from before a change of its scenario, its parameters or its "
        + "program.")
  }

  private var cells: [Table.Cell] {
    var cells = Table.expectationCells(of: result)
    if isStale {
      cells[0] = Table.Cell(verdict, .unknown)
      cells[cells.count - 1] = Table.Cell(reason, .muted)
    }
    return [Table.Cell(scenario)] + cells + [Table.Cell(result.runs.joined(separator: " "))]
  }
}
