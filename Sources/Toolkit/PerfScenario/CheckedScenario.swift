public import PerfModel

/// A scenario whose names and values were checked against its worker.
public struct CheckedScenario: Sendable {
  /// The scenario; its parameters have the declared types.
  public var scenario: Scenario
  /// The worker's description of the workload; nil for a command.
  public let workload: WorkerDescription.Workload?
  /// The metrics of the harness and the counters of the workload.
  public let catalog: MetricCatalog
}

extension ScenarioFile {
  /// Checks the workload, its parameters and its counters against the worker.
  ///
  /// - Parameter worker: The worker's description; nil exactly for a scenario with a `command`.
  /// - Returns: The scenario with typed parameters.
  /// - Throws: `ScenarioError.content` with the location in the file, or `.several`.
  public func checked(
    against worker: WorkerDescription?
  ) throws(ScenarioError) -> CheckedScenario {
    let workload = try workload(of: worker)
    let catalog = MetricCatalog.standard.adding(
      workload?.counters ?? scenario.command.definitions)
    let faults = Faults()
    for metric in metrics {
      faults.collect { try metric.check(in: catalog, isComplete: true) }
    }
    checkExpectations(in: catalog, faults)
    faults.collect { try calibration?.check(workload, variants: self.variants) }
    func typed(_ entries: [ParameterEntry]) -> Parameters {
      var result: Parameters = [:]
      for entry in entries {
        result[entry.name] = faults.collect(else: entry.value) { try entry.value(of: workload) }
      }
      return result
    }
    let variants = variants.map { variant in
      Scenario.Variant(name: variant.name, parameters: typed(variant.parameters))
    }
    var scenario = scenario
    scenario.parameters = typed(parameters)
    scenario.variants = variants
    if scenario.quick != nil { scenario.quick = typed(quick) }
    try faults.check()
    return CheckedScenario(scenario: scenario, workload: workload, catalog: catalog)
  }

  private func workload(
    of worker: WorkerDescription?
  ) throws(ScenarioError) -> WorkerDescription.Workload? {
    if case .command = scenario.worker { return nil }
    guard let worker else {
      preconditionFailure("a scenario with a worker needs the worker's description")
    }
    guard let workload = worker.workload(named: scenario.workload) else {
      throw .content(
        workloadLocation,
        .unknownWorkload(
          scenario.workload, suite: worker.suite, known: worker.workloads.map(\.name)))
    }
    return workload
  }
}

extension ParameterEntry {
  func value(
    of workload: WorkerDescription.Workload?
  ) throws(ScenarioError) -> ParameterValue {
    if let parameter = HarnessParameter(rawValue: name) {
      try checkHarness(parameter)
      return .string(text)
    }
    guard let workload else { throw nameError(.commandParameter(name)) }
    guard let declaration = workload.parameters.first(where: { $0.name == name }) else {
      throw nameError(
        .unknownParameter(
          name, workload: workload.name,
          known: workload.parameters.map(\.name) + HarnessParameter.allCases.map(\.rawValue)))
    }
    return try value(for: declaration)
  }
}
