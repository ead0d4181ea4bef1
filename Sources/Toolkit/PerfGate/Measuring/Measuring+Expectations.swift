internal import Foundation
public import PerfModel
internal import PerfScenario
internal import PerfStatistics
public import PerfStore

extension Measuring {
  /// Judges the expectations of a scenario.
  ///
  /// A variant that was not measured now is judged by its latest stored run with the same program, on the
  /// same machine and with the same parameters, if there is one.
  ///
  /// - Parameters:
  ///   - runnable: The scenario.
  ///   - measured: Runs of its variants that were measured now.
  ///   - store: The store with the earlier runs.
  /// - Returns: A result for each expectation; none if the work was counted instead of measured.
  /// - Throws: `ScenarioError` or `StoreError`.
  public func expectations(
    of runnable: RunnableScenario, by measured: [Run], in store: RunStore
  ) throws -> [ExpectationResult] {
    let expectations = runnable.scenario.expectations
    guard let reference = measured.last, !expectations.isEmpty, settings.counting == nil else {
      return []
    }
    var runs = Dictionary(measured.map { ($0.variant, $0) }) { _, later in later }
    for variant in expectations.flatMap(\.variants).uniqued() where runs[variant] == nil {
      runs[variant] = try stored(variant, of: runnable, like: reference, in: store)
    }
    return ExpectationEvaluator.evaluate(
      expectations, runs: runs,
      isSmall: settings.isQuick && runnable.scenario.quick != nil)
  }

  /// Judges the expectations of a scenario, and adds them to the runs whose variants they concern.
  public func judge(
    _ summaries: inout ArraySlice<RunSummary>, of runnable: RunnableScenario, in store: RunStore
  ) throws {
    let results = try expectations(of: runnable, by: summaries.map(\.run), in: store)
    for index in summaries.indices {
      let variant = summaries[index].run.variant
      summaries[index].expectations = results.filter {
        $0.expectation.variants.contains(variant)
      }
    }
  }

  /// Judges the expectations that two compared variants of one program decide.
  public func expectations(
    of sides: PairedSides, by paired: PairedComparison, in store: RunStore
  ) throws -> [ExpectationResult] {
    let runs = paired.longest
    let variants = [runs.base.variant, runs.candidate.variant]
    guard sides.base.runnable.build == nil, variants[0] != variants[1] else { return [] }
    return try expectations(
      of: sides.candidate.runnable, by: [runs.base, runs.candidate], in: store
    ).filter { Set($0.expectation.variants).isSubset(of: variants) }
  }

  /// Returns the latest run of another variant that differs from a run in nothing else; nil for none.
  private func stored(
    _ variant: String, of runnable: RunnableScenario, like run: Run, in store: RunStore
  ) throws -> Run? {
    var overrides = settings.overrides
    if let rule = runnable.scenario.calibration, let size = run.parameters[rule.parameter] {
      overrides.append(try ParameterOverride(argument: "\(rule.parameter)=\(size)"))
    }
    let wanted = try runnable.checked.settings(
      variant: variant, isQuick: settings.isQuick, overrides: overrides
    ).parameters
    let filter = RunFilter(scenario: run.scenario, variant: variant, limit: 1)
    guard let header = try store.headers(filter).first else { return nil }
    let latest = try store.run(id: header.id, including: [])
    let isAlike =
      latest.parameters == wanted
      && latest.environment.machine == run.environment.machine
      && latest.environment[.buildIdentity] == run.environment[.buildIdentity]
    return isAlike ? latest : nil
  }
}
