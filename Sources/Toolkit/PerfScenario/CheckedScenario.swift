public import PerfModel

/// A scenario whose names and values were checked against its worker.
public struct CheckedScenario: Sendable {
  /// The scenario; its parameters have the declared types.
  public let scenario: Scenario
  /// The worker's description of the workload; nil for a command.
  public let workload: WorkerDescription.Workload?
  /// The metrics of the harness and the counters of the workload.
  public let catalog: MetricCatalog

  init(_ file: ScenarioFile, worker: WorkerDescription?) throws(ScenarioError) {
    let workload = try Self.workload(of: file, worker: worker)
    let catalog = MetricCatalog.standard.adding(workload?.counters ?? [])
    for metric in file.metrics { try metric.check(in: catalog, isComplete: true) }
    func typed(_ entries: [ParameterEntry]) throws(ScenarioError) -> Parameters {
      var result: Parameters = [:]
      for entry in entries { result[entry.name] = try Self.value(entry, workload) }
      return result
    }
    var variants: [Scenario.Variant] = []
    for variant in file.variants {
      variants.append(
        Scenario.Variant(name: variant.name, parameters: try typed(variant.parameters)))
    }
    var scenario = file.scenario
    scenario.parameters = try typed(file.parameters)
    scenario.variants = variants
    if scenario.quick != nil { scenario.quick = try typed(file.quick) }
    self.scenario = scenario
    self.workload = workload
    self.catalog = catalog
  }

  private static func workload(
    of file: ScenarioFile, worker: WorkerDescription?
  ) throws(ScenarioError) -> WorkerDescription.Workload? {
    if case .command = file.scenario.worker { return nil }
    guard let worker else {
      preconditionFailure("a scenario with a worker needs the worker's description")
    }
    guard let workload = worker.workload(named: file.scenario.workload) else {
      throw .content(
        file.workloadLocation,
        .unknownWorkload(
          file.scenario.workload, suite: worker.suite, known: worker.workloads.map(\.name)))
    }
    return workload
  }

  /// Returns a parameter's value with its declared type.
  static func value(
    _ entry: ParameterEntry, _ workload: WorkerDescription.Workload?
  ) throws(ScenarioError) -> ParameterValue {
    if let parameter = HarnessParameter(rawValue: entry.name) {
      try entry.checkHarness(parameter)
      return .string(entry.text)
    }
    guard let workload else { throw entry.nameError(.commandParameter(entry.name)) }
    guard let declaration = workload.parameters.first(where: { $0.name == entry.name }) else {
      throw entry.nameError(
        .unknownParameter(
          entry.name, workload: workload.name,
          known: workload.parameters.map(\.name) + HarnessParameter.allCases.map(\.rawValue)))
    }
    return try entry.value(for: declaration)
  }
}

extension ScenarioFile {
  /// Checks the workload, its parameters and its counters against the worker.
  ///
  /// - Parameter worker: The worker's description; nil exactly for a scenario with a `command`.
  /// - Returns: The scenario with typed parameters.
  /// - Throws: `ScenarioError.content` with the location in the file.
  public func checked(
    against worker: WorkerDescription?
  ) throws(ScenarioError) -> CheckedScenario {
    try CheckedScenario(self, worker: worker)
  }
}
