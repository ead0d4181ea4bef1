public import PerfModel

/// A scenario all of whose names and values its worker knows.
public struct CheckedScenario: Sendable {
  /// The scenario; its parameters have the types that the workload declares.
  public let scenario: Scenario
  /// What the worker says of the workload; nil for a command.
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
    // Everything else is as it is written.
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
      preconditionFailure("a scenario with a worker is checked against what the worker says")
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
  /// Checks what only the worker can tell: the workload, its parameters and its counters.
  ///
  /// - Parameter worker: What the worker says of itself; nil for a scenario with a `command`, and
  ///   only for that.
  /// - Returns: The scenario with typed parameters.
  /// - Throws: `ScenarioError.content` with the place in the file.
  public func checked(
    against worker: WorkerDescription?
  ) throws(ScenarioError) -> CheckedScenario {
    try CheckedScenario(self, worker: worker)
  }
}
