public import PerfModel
public import PerfReport
public import PerfStatistics
public import PerfStore

/// A run with its statistics, its budgets' verdicts and the noise of its machine.
public struct RunSummary {
  /// The run.
  public let run: Run
  let metrics: [MetricSummary]
  let budgets: [BudgetResult]
  /// The verdict on all budgets.
  public let verdict: BudgetVerdict
  /// The known noise of the machine; nil if no store was given.
  public let noise: NoiseStatus?
  /// The judged expectations of the scenario that concern the run's variant.
  public var expectations: [ExpectationResult] = []
  /// The names of the metrics that decide comparisons of the scenario.
  private(set) var gating: [String] = []
  /// The path of the HTML report, once it is written.
  public var reportPath: String?
  /// The code that the table of functions does not show as such.
  public var folding = Folding.inlined
  /// The slowest spans to show; nil shows none.
  public var slowSpans: SlowSpans?

  /// Summarises a run.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - store: The store with noise certificates; nil to leave the noise out.
  ///   - counts: Counted launches of the same program, which decide the budgets of counted metrics; nil for none.
  public init(_ run: Run, in store: RunStore? = nil, counts: WorkCounts? = nil) {
    self.run = run
    noise = store?.noise(of: run)
    metrics = MetricSummary.summaries(of: run)
    budgets = BudgetEvaluator.evaluate(run, counts: counts)
    verdict = BudgetEvaluator.verdict(of: run, budgets)
  }

  /// Shows the metrics first that decide comparisons by a policy.
  public mutating func setGating(by policy: Scenario.GatePolicy) {
    gating = GatingMetrics.names(policy, budgets: run.budgets, definitions: run.definitions)
  }

  /// Whether the run has no result: no launch completed, and no budget is broken by that.
  public var hasNoResult: Bool {
    run.measured.isEmpty && !budgets.contains { $0.verdict == .broken }
  }

  /// Returns the reason why the run has no result, unless the user stopped it.
  public func obstacle(isStopped: Bool) -> String {
    run.profiled.isEmpty && !isStopped
      ? "--max-time was over before the first measured launch" : "no launch completed"
  }

  /// Returns a sentence about the launches that did not complete.
  ///
  /// - Parameter side: The side of a comparison, or nil.
  /// - Returns: The sentence; nil if all launches completed.
  func loss(of side: String? = nil) -> String? {
    let (made, lost) = (run.profiled.count, run.profiled.count - run.measured.count)
    let launches = side.map { "launches of the \($0)" } ?? "launches"
    return lost == 0 ? nil : "\(lost) of \(made) \(launches) did not complete\(crash)"
  }

  /// The stack of the first crash as the rest of a sentence; empty if none is known.
  var crash: String {
    let warnings = run.profile?.audit.warnings ?? []
    return warnings.first(where: \.isOfCrash).map { ": \($0.message)" } ?? ""
  }

  /// The document that renderers show.
  public var document: RunDocument {
    var document = RunDocument(
      run: run, metrics: metrics, budgets: budgets, verdict: verdict, reportPath: reportPath,
      noise: noise, folding: folding, slowSpans: slowSpans)
    document.expectations = expectations
    document.gating = gating
    return document
  }
}

extension RunStore {
  /// Opens the store at a path for reading; nil if there is none yet.
  static func existing(at path: String) throws(StoreError) -> RunStore? {
    do {
      return try RunStore(path: path, access: .reading)
    } catch {
      guard case .missing = error else { throw error }
      return nil
    }
  }

  /// Returns the known noise of the machine that measured a run; nil if the certificates cannot be
  /// read, which must not hide the results.
  public func noise(of run: Run) -> NoiseStatus? {
    do {
      return try certificate(of: run.environment.machine).map(NoiseStatus.certified)
        ?? .uncertified
    } catch {
      return nil
    }
  }
}
