public import PerfModel
internal import PerfScenario
internal import PerfStatistics
public import PerfStore

/// The expectations of scenario files, judged by stored runs.
///
/// Without a valid scenario file there are none, and counted runs cannot show them.
public struct StoredExpectations {
  /// The absolute path of the folder with the scenario files.
  private let folder: String
  private let store: RunStore
  /// The number of stored runs of a variant that are searched for an equal program.
  private static let searched = 20

  /// Creates the expectations of a folder of scenario files, by its absolute path.
  public init(in folder: String, store: RunStore) {
    (self.folder, self.store) = (folder, store)
  }

  /// Judges the expectations that concern a run's variant.
  ///
  /// The other variants are judged by their latest runs of the same program, on the same machine and
  /// with the same parameters.
  ///
  /// - Throws: `StoreError`.
  public func results(of run: Run) throws -> [ExpectationResult] {
    guard let scenario = scenario(of: run) else { return [] }
    let concerned = scenario.expectations.filter { $0.variants.contains(run.variant) }
    var runs = [run.variant: run]
    for variant in concerned.flatMap(\.variants).uniqued() where runs[variant] == nil {
      runs[variant] = try stored(variant, of: scenario, like: run)
    }
    return ExpectationEvaluator.evaluate(
      concerned, runs: runs, isSmall: scenario.isSmall(run))
  }

  /// Adds to a run what the file of its scenario states: the judged expectations and the gating metrics.
  ///
  /// - Throws: `StoreError`.
  public func complete(_ summary: inout RunSummary) throws {
    summary.expectations = try results(of: summary.run)
    if let scenario = scenario(of: summary.run) { summary.setGating(by: scenario.gate) }
  }

  /// Judges the expectations that two runs of different variants of one program decide.
  public func results(of base: Run, against candidate: Run) -> [ExpectationResult] {
    guard let scenario = scenario(of: candidate), base.scenario == candidate.scenario,
      base.variant != candidate.variant, scenario.isAlike(base, candidate)
    else { return [] }
    let runs = [base.variant: base, candidate.variant: candidate]
    return ExpectationEvaluator.evaluate(
      scenario.expectations.filter { Set($0.variants).isSubset(of: runs.keys) }, runs: runs,
      isSmall: scenario.isSmall(candidate))
  }

  /// Judges the expectations that a stored comparison of two variants decides.
  public func results(of paired: PairedComparison) -> [ExpectationResult] {
    results(of: paired.longest.base, against: paired.longest.candidate)
  }

  private func scenario(of run: Run) -> Scenario? {
    guard run.work == nil, run.importedFormat == nil,
      let scenario = try? ScenarioLibrary(folder: folder).file(run.scenario).scenario,
      scenario.variant(named: run.variant) != nil
    else { return nil }
    return scenario
  }

  private func stored(
    _ variant: String, of scenario: Scenario, like run: Run
  ) throws -> Run? {
    let filter = RunFilter(scenario: run.scenario, variant: variant, limit: Self.searched)
    for header in try store.headers(filter) {
      let other = try store.run(id: header.id, including: [])
      if other.work == nil, scenario.isAlike(run, other) { return other }
    }
    return nil
  }
}

extension Scenario {
  /// Returns whether two runs differ in nothing but the parameters of their variants.
  ///
  /// A parameter that only one variant names has the scenario's value in the other run, or any value if
  /// the scenario leaves it to the worker.
  fileprivate func isAlike(_ one: Run, _ other: Run) -> Bool {
    guard one.environment.machine == other.environment.machine,
      one.environment[.buildIdentity] == other.environment[.buildIdentity]
    else { return false }
    let named = [one, other].map { variant(named: $0.variant)?.parameters ?? [:] }
    return Set(one.parameters.keys).union(other.parameters.keys).allSatisfy { key in
      guard named.contains(where: { $0[key] != nil }) else {
        return one.parameters[key] == other.parameters[key]
      }
      return zip([one, other], named).allSatisfy { run, parameters in
        guard let wanted = parameters[key] ?? self.parameters[key] else { return true }
        return run.parameters[key].map { $0.isEqual(to: wanted) } ?? false
      }
    }
  }

  /// Returns whether a run has the small parameter set.
  fileprivate func isSmall(_ run: Run) -> Bool {
    guard let quick else { return false }
    let variant = variant(named: run.variant)?.parameters ?? [:]
    let shown = quick.filter { variant[$0.key] == nil && run.parameters[$0.key] != nil }
    return !shown.isEmpty
      && shown.allSatisfy { key, value in run.parameters[key]?.isEqual(to: value) ?? false }
  }
}

extension ParameterValue {
  /// Returns whether a value of a run is a value of a file, whose whole numbers may be fractions in the
  /// run.
  fileprivate func isEqual(to written: ParameterValue) -> Bool {
    if case (.double(let number), .int(let whole)) = (self, written) {
      return number == Double(whole)
    }
    return self == written || "\(self)" == "\(written)"
  }
}
