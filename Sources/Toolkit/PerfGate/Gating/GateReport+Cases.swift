internal import PerfModel
internal import PerfReport
internal import PerfStatistics

extension GateReport {
  /// The JUnit test cases: for each result its budgets, its gating metrics, its launches if some did not
  /// complete or ended differently, and its verdict if it passed, could not be judged or is explained by none of
  /// these.
  var cases: [JUnitRenderer.Case] {
    let hasStop = results.contains { $0.status == .interrupted }
    let stop =
      status == .interrupted && !hasStop
      ? [JUnitRenderer.Case(suite: "gate", name: "verdict", outcome: .error(sentence))] : []
    return results.flatMap { cases(of: $0) } + stop
  }

  private func cases(of result: GateResult) -> [JUnitRenderer.Case] {
    let details = budgetCases(of: result) + metricCases(of: result)
    let isFailed = details.contains { if case .failed = $0.outcome { true } else { false } }
    let isOpen = details.contains { if case .skipped = $0.outcome { true } else { false } }
    // A detail that explains the status stands for the verdict, so that nothing is counted twice.
    let outcome: JUnitRenderer.CheckResult? =
      switch result.status {
      // A passed case has no text.
      case .done where result.change != nil: .skipped(result.note)
      case .done: .passed
      case .gateFailed: isFailed ? nil : .failed(result.note)
      case .failed, .usage, .interrupted: .error(result.note)
      case .inconclusive, .void: isOpen ? nil : .skipped(result.note)
      }
    let launches = [("launches", result.loss), ("exits", result.comparison?.differentExits)]
      .compactMap { name, text in
        text.map {
          JUnitRenderer.Case(suite: result.subject, name: name, outcome: .skipped($0))
        }
      }
    let name = result.change.map { "rule \($0.kind.rawValue)" } ?? "verdict"
    let verdict = outcome.map {
      JUnitRenderer.Case(suite: result.subject, name: name, outcome: $0)
    }
    return [verdict].compactMap(\.self) + details + launches
  }

  private func budgetCases(of result: GateResult) -> [JUnitRenderer.Case] {
    (result.summary?.budgets ?? []).map { budget in
      let outcome: JUnitRenderer.CheckResult =
        switch budget.verdict {
        case .held: .passed
        case .broken: .failed(budget.sentence)
        case .unknown: .skipped(budget.sentence)
        }
      return JUnitRenderer.Case(
        suite: result.subject, name: "budget \(budget.budget)", outcome: outcome)
    }
  }

  private func metricCases(of result: GateResult) -> [JUnitRenderer.Case] {
    guard let comparison = result.comparison else { return [] }
    let measured = comparison.whole.gating.map { metric in
      let change = ComparisonDocument.change(metric)
      let number = comparison.number(accepting: metric)
      let outcome: JUnitRenderer.CheckResult =
        switch metric.verdict {
        case _ where comparison.whole.verdict == .void: .skipped("void: \(change)")
        case .regressed where !result.isControl && number == nil: .failed("regressed: \(change)")
        case .inconclusive: .skipped("inconclusive: the change is undecided; estimate: \(change)")
        case .void: .skipped("void: \(change)")
        case .improved, .equivalent, .regressed: .passed
        }
      let name = "\(metric.definition.name) compared with the base"
      return JUnitRenderer.Case(
        suite: result.subject, name: number.map { "\(name), accepted by decision \($0)" } ?? name,
        outcome: outcome)
    }
    return measured
      + comparison.missing.map { name in
        .init(
          suite: result.subject, name: "\(name) compared with the base",
          outcome: .skipped("the metric was not measured"))
      }
  }
}
