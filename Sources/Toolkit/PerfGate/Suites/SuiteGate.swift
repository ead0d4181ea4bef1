internal import PerfModel
internal import PerfRunner
internal import PerfScenario
public import PerfStore

/// A gate on the benchmarks of package-benchmark's suites.
public struct SuiteGate {
  /// Targets, or benchmarks as `TARGET/NAME`; empty for all.
  private let benchmarks: [String]
  /// The base; nil for the merge base with the target branch.
  private let against: String?
  private let measuring: Measuring
  private let pairing: PairingSettings

  /// Creates a gate.
  ///
  /// - Parameters:
  ///   - benchmarks: Targets, or benchmarks as `TARGET/NAME`; empty for all.
  ///   - against: The revision to compare with; nil for the merge base with the target branch.
  ///   - measuring: Makes the launches.
  ///   - pairing: The choices of how pairs are made.
  public init(
    benchmarks: [String], against: String?, measuring: Measuring, pairing: PairingSettings
  ) {
    self.benchmarks = benchmarks
    self.against = against
    self.measuring = measuring
    self.pairing = pairing
  }

  /// Builds both revisions, and measures and judges all benchmarks.
  ///
  /// - Parameter openStore: Opens the store for runs and comparisons; called after the build.
  /// - Returns: The report, with the worst status of all results.
  /// - Throws: `RunnerError`, `RevisionError`, `StoreError`, `CancellationError`, or `Failure`.
  public func judge(into openStore: () throws -> RunStore) throws -> GateReport {
    let workspace = measuring.workspace
    let checkout = try workspace.checkout()
    let target = try GateTarget(against, measuring: measuring, checkout: checkout)
    guard target.isRevision else {
      throw Failure(
        "benchmarks of package-benchmark are compared in pairs: --against must name a revision, not a "
          + "baseline.", status: .usage)
    }
    let suites = try Suites(named: benchmarks, measuring).sides(layouts: pairing.layouts) {
      checkout in
      try GateTarget.sides(
        target.revisionName, isProjectBase: false, at: "", in: checkout
      ).revisions
    }
    let gate = RevisionGate(
      measuring: measuring, pairing: pairing, revisions: suites.revisions,
      pages: LedgerFolder(in: workspace), upstream: nil, against: against)
    let results = gate.judge(suites, into: try openStore())
    return GateReport(
      results: results,
      status: workspace.isCancelled() ? .interrupted : .worst(results.map(\.status)),
      scenarios: nil,
      projectFile: suites.revisions.project.place + "Package.swift", note: gate.note)
  }
}
