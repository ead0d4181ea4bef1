internal import PerfModel

extension ScenarioFile {
  static func caseStudy(
    _ reader: MappingReader
  ) throws(ScenarioError) -> Scenario.CaseStudy? {
    guard let study = try reader.mapping("case_study", known: ["study", "statement"]) else {
      return nil
    }
    let faults = reader.node.faults
    return Scenario.CaseStudy(
      study: faults.collect(else: "") { try study.required("study").string("study") },
      statement: faults.collect(else: "") { try study["statement"]?.string("statement") ?? "" })
  }

  static func budgets(
    _ reader: MappingReader, launches: Int
  ) throws(ScenarioError) -> ([Budget], [MetricReference]) {
    guard let node = reader["budgets"] else { return ([], []) }
    var budgets: [Budget] = []
    var metrics: [MetricReference] = []
    for item in try node.list("budgets", of: "texts like 'rss.peak <= 150 MB'") {
      item.faults.collect {
        let text = try item.string("budgets")
        let parsed: BudgetText
        do throws(BudgetText.Failure) {
          parsed = try BudgetText(text)
        } catch {
          throw ScenarioError.content(item.location(ofCharacter: error.offset), error.problem)
        }
        let budget = parsed.budget
        guard launches >= budget.statistic.launchesNeeded else {
          throw item.fail(.tooFewLaunches(budget, launches: launches))
        }
        budgets.append(budget)
        metrics.append(
          MetricReference(
            name: budget.metric, location: item.location(ofCharacter: parsed.metricOffset),
            unit: budget.limit.unit, unitLocation: item.location(ofCharacter: parsed.limitOffset),
            isGating: false, bareNumber: parsed.bareLimit))
      }
    }
    return (budgets, metrics)
  }

  static func gate(_ reader: MappingReader) throws(ScenarioError) -> GateText {
    try reader.mapping("gate", known: ["margin", "metrics", "count"]).map(GateText.init)
      ?? GateText()
  }

  /// Reads the controls, which a change cannot reach.
  ///
  /// Names of functions and scenarios are not checked here: functions are known only from a
  /// profile.
  static func controls(
    _ reader: MappingReader, gate: GateText
  ) throws(ScenarioError) -> (Scenario.Controls, [MetricReference]) {
    guard
      let controls = try reader.mapping("controls", known: ["metrics", "functions", "scenarios"])
    else { return (Scenario.Controls(), []) }
    var references: [MetricReference] = []
    let faults = controls.node.faults
    let items = faults.collect(else: []) {
      try controls["metrics"]?.list("metrics", of: "names") ?? []
    }
    for item in items {
      faults.collect {
        let name = try item.string("metrics")
        guard gate.metrics?[name] == nil else { throw item.fail(.gatingControl(name)) }
        // A control moves in either direction of quality, so it needs a better direction.
        references.append(
          MetricReference(
            name: name, location: item.location, unit: nil, unitLocation: item.location,
            isGating: true))
      }
    }
    return (
      Scenario.Controls(
        metrics: references.map(\.name),
        functions: faults.collect(else: []) { try controls.names("functions") },
        scenarios: faults.collect(else: []) { try controls.names("scenarios") }), references
    )
  }

  static func pressure(
    _ reader: MappingReader
  ) throws(ScenarioError) -> [Scenario.PressureStep] {
    guard let node = reader["pressure"] else { return [] }
    var steps: [Scenario.PressureStep] = []
    for item in try node.list("pressure", of: "steps like '{ at: 0s, level: 40%, hold: 2s }'") {
      let faults = item.faults
      faults.collect {
        let step = try MappingReader(
          item, key: "pressure", owner: "a pressure step", known: ["at", "level", "hold"])
        let at = faults.collect(else: nil as UInt64?) {
          try step.required("at").duration("at", isZeroAllowed: true)
        }
        let hold = faults.collect(else: nil as UInt64?) {
          try step.required("hold").duration("hold", isZeroAllowed: false)
        }
        let level = try level(step.required("level"))
        guard let at, let hold else { return }
        if let last = steps.last, at < last.at + last.hold { throw item.fail(.pressureOrder) }
        steps.append(Scenario.PressureStep(at: at, level: level, hold: hold))
      }
    }
    return steps
  }

  /// Checks that pressure has the memory of a device in all variants.
  static func checkBudget(
    of pressure: [Scenario.PressureStep], _ reader: MappingReader, _ shared: [[ParameterEntry]],
    _ variants: [[ParameterEntry]]
  ) throws(ScenarioError) {
    func hasBudget(_ entries: [ParameterEntry]) -> Bool {
      entries.contains { $0.name == HarnessParameter.deviceBudget.rawValue }
    }
    if !pressure.isEmpty, !shared.contains(where: hasBudget), !variants.allSatisfy(hasBudget) {
      throw .content(reader.location(of: "pressure"), .pressureWithoutBudget)
    }
  }

  /// Reads a fraction of the device budget: `0.4` or `40%`.
  private static func level(_ node: YAMLNode) throws(ScenarioError) -> Double {
    let level: Double
    switch node.value {
    case .int(let number)?: level = Double(number)
    case .double(let number)?: level = number
    default: level = try node.quantity("level", .ratio, example: "0.4 or 40%").baseValue
    }
    // A level above 1 exceeds the budget, which a device allows for a moment.
    guard 0...1.5 ~= level else {
      throw node.fail(
        .outOfRange(
          "level", value: node.text ?? "", range: "a fraction from 0 to 1.5, or a percentage"))
    }
    return level
  }
}
