public import PerfModel
internal import PerfProfile
internal import PerfScenario
internal import PerfStatistics
public import PerfStore

/// The latest runs of variants with a label, each loaded once, and the changes since each.
public final class LatestRuns {
  private let store: RunStore?
  private let label: String
  private let measuring: Measuring
  private var runs: [Variant: Run?] = [:]
  private var scenarios: [String: Result<RunnableScenario, any Error>] = [:]
  private var programs: [String: String?] = [:]

  private struct Variant: Hashable {
    let scenario: String
    let name: String
  }

  /// Creates the runs of a store.
  ///
  /// - Parameters:
  ///   - store: The store; nil if there is none, so that no variant has a run.
  ///   - label: The label of the runs.
  ///   - measuring: Finds the scenarios and their programs, and decides whether small parameter sets
  ///     are used.
  public init(store: RunStore?, label: String, measuring: Measuring) {
    self.store = store
    self.label = label
    self.measuring = measuring
  }

  /// Returns the latest run of a variant without its large parts; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func latest(scenario: String, variant: String) throws -> Run? {
    let key = Variant(scenario: scenario, name: variant)
    if let run = runs[key] { return run }
    let filter = RunFilter(scenario: scenario, variant: variant, label: label, limit: 1)
    let run = try store.flatMap { store in
      try store.headers(filter).first.map { try store.run(id: $0.id, including: []) }
    }
    runs.updateValue(run, forKey: key)
    return run
  }

  /// All loaded runs, by scenario and variant.
  public var loaded: [Run] {
    runs.values.compactMap(\.self).sorted { ($0.scenario, $0.variant) < ($1.scenario, $1.variant) }
  }

  /// Returns the changes of the scenario, its parameters and its program since a run, as clauses.
  ///
  /// A scenario that cannot be measured any more is a change as well.
  public func changes(since run: Run) -> [String] {
    do {
      return try basis(of: run).changes(since: run.basis)
    } catch {
      return ["the variant can no longer be measured: \(error)"]
    }
  }

  /// Judges what the variants of the scenarios of the loaded runs must show, by their latest runs.
  ///
  /// - Returns: The scenarios with their results; without those that cannot be read.
  /// - Throws: `StoreError`.
  public func expectations() throws -> [(name: String, results: [ExpectationResult])] {
    var judged: [(name: String, results: [ExpectationResult])] = []
    for name in Set(loaded.map(\.scenario)).sorted() {
      guard let scenario = try? runnable(name).scenario else { continue }
      var found: [String: Run] = [:]
      for variant in scenario.expectations.flatMap(\.variants).uniqued() {
        found[variant] = try latest(scenario: name, variant: variant)
      }
      let results = ExpectationEvaluator.evaluate(
        scenario.expectations, runs: found,
        isSmall: measuring.settings.isQuick && scenario.quick != nil)
      judged.append((name, results))
    }
    return judged
  }

  private func runnable(_ scenario: String) throws -> RunnableScenario {
    let found = scenarios[scenario] ?? Result { try measuring.runnable(scenario) }
    scenarios[scenario] = found
    return try found.get()
  }

  /// Returns the basis that a run would have now; a calibrated parameter keeps its value.
  private func basis(of run: Run) throws -> RunBasis {
    let runnable = try runnable(run.scenario)
    let settings = try runnable.checked.settings(
      variant: run.variant, isQuick: measuring.settings.isQuick)
    var parameters = settings.parameters
    if let name = runnable.scenario.calibration?.parameter {
      parameters[name] = run.parameters[name] ?? parameters[name]
    }
    let path = runnable.program[0]
    let program = programs[path] ?? ProgramImage.fingerprint(ofFile: path)
    programs.updateValue(program, forKey: path)
    return RunBasis(
      parameters: parameters,
      conditions: settings.conditions(
        in: runnable.scenario, rate: settings.rate(in: runnable.scenario)),
      program: program)
  }
}
