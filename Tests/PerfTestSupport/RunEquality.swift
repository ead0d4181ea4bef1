public import PerfModel
public import Testing

/// Expects that two runs agree in every property, and names the differences.
public func expectEqual(
  _ run: Run, _ expected: Run, location: SourceLocation = #_sourceLocation
) {
  func check<Value: Equatable>(_ name: String, _ value: Value, _ expected: Value) {
    #expect(value == expected, "\(name)", sourceLocation: location)
  }
  check("id", run.id, expected.id)
  check("scenario", run.scenario, expected.scenario)
  check("variant", run.variant, expected.variant)
  check("label", run.label, expected.label)
  check("started", run.started, expected.started)
  check("seed", run.seed, expected.seed)
  check("parameters", run.parameters, expected.parameters)
  check("command", run.command, expected.command)
  check("environment", run.environment, expected.environment)
  check("definitions", run.definitions, expected.definitions)
  check("budgets", run.budgets, expected.budgets)
  check("warnings", run.warnings, expected.warnings)
  check("wasInterrupted", run.wasInterrupted, expected.wasInterrupted)
  check("launches", run.launches.count, expected.launches.count)
  for (launch, expected) in zip(run.launches, expected.launches) {
    check("index", launch.index, expected.index)
    check("isWarmup", launch.isWarmup, expected.isWarmup)
    check("status", launch.status, expected.status)
    check("offset", launch.offset, expected.offset)
    check("metrics", launch.metrics, expected.metrics)
    check("series", launch.series, expected.series)
    check("frames", launch.frames, expected.frames)
    check("began", launch.began, expected.began)
    check("spans", launch.spans, expected.spans)
  }
  check("work", run.work, expected.work)
  check("profile", run.profile == nil, expected.profile == nil)
  guard let profile = run.profile, let expected = expected.profile else { return }
  check("functions", profile.functions, expected.functions)
  check("nodes", profile.nodes, expected.nodes)
  check("threads", profile.threads, expected.threads)
  check("phases", profile.phases, expected.phases)
  check("signposts", profile.signposts, expected.signposts)
  check("counts", profile.counts, expected.counts)
  check("timeline", profile.timeline, expected.timeline)
  check("audit", profile.audit, expected.audit)
  check("modules", profile.modules, expected.modules)
}

extension Run {
  /// Returns the run with some properties replaced.
  public func with(
    id: String? = nil, label: String? = nil, seed: UInt64? = nil, parameters: Parameters? = nil,
    environment: Environment? = nil, definitions: [MetricDefinition]? = nil,
    launches: [Launch]? = nil, budgets: [Budget]? = nil, profile: Profile?? = nil,
    work: WorkProfile? = nil,
    warnings: [RunWarning]? = nil, wasInterrupted: Bool? = nil
  ) -> Run {
    Run(
      id: id ?? self.id, scenario: scenario, variant: variant, label: label ?? self.label,
      started: started, seed: seed ?? self.seed, parameters: parameters ?? self.parameters,
      command: command, environment: environment ?? self.environment,
      definitions: definitions ?? self.definitions, launches: launches ?? self.launches,
      budgets: budgets ?? self.budgets, profile: profile ?? self.profile,
      work: work ?? self.work,
      warnings: warnings ?? self.warnings,
      wasInterrupted: wasInterrupted ?? self.wasInterrupted)
  }
}
