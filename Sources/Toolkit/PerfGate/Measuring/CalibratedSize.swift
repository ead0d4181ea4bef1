internal import Foundation
internal import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// The size of the work that a machine needs to reach the target of a scenario's calibration.
struct CalibratedSize {
  /// The value of the calibrated parameter.
  let setting: ParameterOverride
  /// The rule, the size and its value, for the environment of runs.
  let note: String
}

/// The sizes that an invocation has found, by the rule of the calibration.
///
/// Both sides of a comparison and all variants of a scenario have the same size.
final class CalibratedSizes {
  fileprivate var found: [String: CalibratedSize] = [:]
}

extension Measuring {
  /// Returns the calibrated size of a scenario: the size of the last runs on this machine, or a new one.
  ///
  /// - Parameters:
  ///   - runnable: The scenario whose rule and program count.
  ///   - other: The other side of a comparison; it must know the parameter as well.
  ///   - store: The store with the earlier runs.
  /// - Returns: The size; nil if the scenario has no rule, the command line or the small parameter set
  ///   determines the size, or the work is only counted.
  /// - Throws: `Failure` if no launch has the metric; `RunnerError`, `StoreError` or `CancellationError`.
  func calibratedSize(
    of runnable: RunnableScenario, and other: RunnableScenario? = nil, store: RunStore
  ) throws -> CalibratedSize? {
    guard let rule = runnable.scenario.calibration, settings.counting == nil,
      !(settings.isQuick && runnable.scenario.quick != nil),
      !settings.overrides.contains(where: { $0.name == rule.parameter }),
      other?.worker.map({ $0.declares(rule.parameter, of: runnable.scenario.workload) }) ?? true
    else { return nil }
    let key = "\(runnable.scenario.name) \(rule)"
    if let known = sizes.found[key] { return known }
    let stored =
      settings.calibratesAnew ? nil : try storedSize(rule, of: runnable, store: store)
    let size = try stored ?? measuredSize(rule, of: runnable, store)
    sizes.found[key] = size
    observe(.note("\(runnable.scenario.name): calibrated \(size.note)"))
    return size
  }

  /// Returns the size of the latest calibrated run on this machine, so that runs stay comparable.
  private func storedSize(
    _ rule: Calibration, of runnable: RunnableScenario, store: RunStore
  ) throws -> CalibratedSize? {
    let machine = workspace.environment().machine
    for header in try store.headers(RunFilter(scenario: runnable.scenario.name, limit: 10)) {
      let run = try store.run(id: header.id, including: [])
      guard let note = run.environment[.calibration], note.hasPrefix("\(rule): "),
        run.environment.machine == machine, let value = run.parameters[rule.parameter]
      else { continue }
      return CalibratedSize(
        setting: try ParameterOverride(argument: "\(rule.parameter)=\(value)"), note: note)
    }
    return nil
  }

  private func measuredSize(
    _ rule: Calibration, of runnable: RunnableScenario, _ store: RunStore
  ) throws -> CalibratedSize {
    let isWhole =
      runnable.worker?.parameter(rule.parameter, of: runnable.scenario.workload)?.kind
      == .int
    var search = CalibrationSearch(
      target: try target(of: rule, runnable), range: rule.range, isWhole: isWhole)
    func setting(_ size: Double) throws -> ParameterOverride {
      let text = isWhole ? "\(Int(size))" : NumberFormat.significant(size)
      return try ParameterOverride(argument: "\(rule.parameter)=\(text)")
    }
    observe(.begin(title: "\(runnable.scenario.name):\(rule.variant), calibration"))
    while let size = search.next {
      let value = try value(of: rule, runnable, size: setting(size), store)
      search.add(size: size, value: value)
    }
    guard let best = search.best else { preconditionFailure("a search begins with a size") }
    let dimension = runnable.checked.catalog[rule.metric]?.dimension ?? .count
    let chosen = try setting(best.size)
    let value = NumberFormat.human(best.value, dimension)
    return CalibratedSize(
      setting: chosen,
      note: "\(rule): \(chosen.name) = \(chosen.text), \(value)"
        + (search.hasReached ? "" : ", the nearest of \(search.tries.count) launches"))
  }

  /// Returns the target in base units.
  private func target(of rule: Calibration, _ runnable: RunnableScenario) throws -> Double {
    switch rule.target {
    case .quantity(let quantity): return quantity.baseValue
    case .frames(let count):
      let parameters = try runnable.checked.settings(
        variant: rule.variant, overrides: settings.overrides
      ).parameters
      let refresh: Double =
        switch parameters[Calibration.refreshParameter] {
        case .int(let rate)?: Double(rate)
        case .double(let rate)?: rate
        default: 0
        }
      guard refresh > 0 else {
        throw Failure(
          "\(runnable.scenario.name) cannot be calibrated: '\(Calibration.refreshParameter)' is no "
            + "number above 0. Set it in the scenario's parameters.")
      }
      return count * 1e9 / refresh
    }
  }

  private func value(
    of rule: Calibration, _ runnable: RunnableScenario, size: ParameterOverride, _ store: RunStore
  ) throws -> Double {
    var single = settings
    (single.iterations, single.warmup, single.isProfiled) = (1, 0, false)
    single.overrides.append(size)
    let draft = try with(single).draft(runnable, variant: rule.variant, store: store)
    let launches = try draft.unstored(runnable.checked.workload, in: workspace) {
      observe(.run($0))
    }
    if workspace.isCancelled() { throw CancellationError() }
    guard let launch = launches.last, launch.status == .completed,
      let value = launch.metrics[rule.metric]
    else {
      let status = launches.last.map { "\($0.status)" } ?? "was not made"
      throw Failure(
        "\(runnable.scenario.name) cannot be calibrated: the launch of \(rule.variant) with "
          + "\(size.name)=\(size.text) \(status) and has no \(rule.metric). Set the size with --set "
          + "\(rule.parameter)=VALUE.")
    }
    return value
  }
}

extension WorkerDescription {
  fileprivate func parameter(_ name: String, of workload: String) -> Hello.Parameter? {
    self.workload(named: workload)?.parameters.first { $0.name == name }
  }

  fileprivate func declares(_ name: String, of workload: String) -> Bool {
    parameter(name, of: workload) != nil
  }
}
