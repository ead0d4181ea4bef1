internal import PerfModel
internal import PerfReport
internal import PerfStatistics

extension GateReport {
  /// What turned the gate red, then what left it undecided, then what is accepted.
  var findings: [GateFinding] {
    let all = results.flatMap { findings(of: $0) } + [stop].compactMap(\.self)
    return GateFinding.Level.allCases.flatMap { level in all.filter { $0.level == level } }
  }

  /// That the gate was stopped, where no result says so.
  private var stop: GateFinding? {
    guard status == .interrupted, !results.contains(where: { $0.status == .interrupted }) else {
      return nil
    }
    return GateFinding(
      file: GateReport.projectFile, subject: "gate", topic: "stop", message: sentence,
      level: .failure)
  }

  private func findings(of result: GateResult) -> [GateFinding] {
    let scenario = result.subject.prefix { $0 != ":" }
    let file = result.isOfScenario ? "\(scenarios)/\(scenario).yml" : GateReport.projectFile
    func finding(_ topic: String, _ message: String, _ level: GateFinding.Level) -> GateFinding {
      GateFinding(
        file: file, subject: result.subject, topic: topic, message: message, level: level)
    }
    var findings = (result.summary?.budgets ?? []).compactMap { budget -> GateFinding? in
      switch budget.verdict {
      case .held: nil
      case .broken: finding("\(budget.budget)", budget.sentence, .failure)
      case .unknown: finding("\(budget.budget)", budget.sentence, .warning)
      }
    }
    if let comparison = result.comparison, !result.isControl || result.status != .done {
      if let acceptance = comparison.acceptance {
        findings.append(finding("accepted", acceptance, .notice))
      }
      let level: GateFinding.Level? =
        switch comparison.rest.verdict {
        case .regressed: .failure
        case .inconclusive, .void: .warning
        case .improved: .notice
        case .equivalent: nil
        }
      if let level {
        let sentence = ComparisonDocument(comparison.rest).verdictSentence
        findings.append(finding(comparison.rest.verdict.rawValue, sentence, level))
      }
      if !comparison.missing.isEmpty {
        findings.append(
          finding(
            "missing", "Needed to decide, but not measured: \(Wording.list(comparison.missing)).",
            .warning))
      }
    }
    // What the status follows from must be seen, whatever it is.
    let least: GateFinding.Level? =
      switch result.status {
      case .gateFailed, .failed, .usage, .interrupted: .failure
      case .inconclusive, .void: .warning
      case .done: nil
      }
    if let least, !findings.contains(where: { $0.level.rawValue <= least.rawValue }) {
      findings.append(finding("status", result.note, least))
    }
    if let loss = result.loss { findings.append(finding("launches", loss, .warning)) }
    // A verdict that stands on somebody's word is seen to, whatever it is.
    if let comparison = result.comparison, !result.isControl {
      let codes = [PairedComparer.controlUnseen, BaselineGate.otherHosts]
      findings += comparison.whole.warnings.filter { codes.contains($0.code) }
        .map { finding($0.code + $0.message, "Note: \($0)", .warning) }
      findings += ComparisonDocument(comparison.whole).allowedDifferences.map { difference in
        let (base, candidate) = (difference.base ?? "unknown", difference.candidate ?? "unknown")
        return finding(
          "allowed \(difference.key) \(base)",
          "Compared although the environments differ, as was allowed: \(difference.key) was '\(base)' and "
            + "is '\(candidate)'.", .warning)
      }
    }
    return findings
  }

  /// A case for what came of each scenario, for each of its budgets, for each metric that decides, and
  /// for launches that did not complete.
  var cases: [JUnitRenderer.Case] {
    let stop = self.stop.map { stop in
      JUnitRenderer.Case(suite: stop.subject, name: "judged", outcome: .error(stop.message))
    }
    return results.flatMap { cases(of: $0) } + [stop].compactMap(\.self)
  }

  private func cases(of result: GateResult) -> [JUnitRenderer.Case] {
    let details = budgetCases(of: result) + metricCases(of: result)
    let isFailed = details.contains { if case .failed = $0.outcome { true } else { false } }
    let isOpen = details.contains { if case .skipped = $0.outcome { true } else { false } }
    // Where one of the others says why, this one only says that there was something to judge.
    let outcome: JUnitRenderer.CheckResult =
      switch result.status {
      case .done: .passed
      case .gateFailed: isFailed ? .passed : .failed(result.note)
      case .failed, .usage, .interrupted: .error(result.note)
      case .inconclusive, .void: isOpen ? .passed : .skipped(result.note)
      }
    let launches = result.loss.map {
      JUnitRenderer.Case(suite: result.subject, name: "launches", outcome: .skipped($0))
    }
    return [.init(suite: result.subject, name: "judged", outcome: outcome)] + details
      + [launches].compactMap(\.self)
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
        suite: result.subject, name: "\(budget.budget)", outcome: outcome)
    }
  }

  private func metricCases(of result: GateResult) -> [JUnitRenderer.Case] {
    guard let comparison = result.comparison else { return [] }
    let measured = comparison.whole.metrics.filter(\.isGating).map { metric in
      let change = ComparisonDocument.change(metric)
      let number = comparison.number(accepting: metric)
      let outcome: JUnitRenderer.CheckResult =
        switch metric.verdict {
        case _ where comparison.whole.verdict == .void: .skipped("void: \(change)")
        case .regressed where !result.isControl && number == nil: .failed("regressed: \(change)")
        case .inconclusive, .void: .skipped("\(metric.verdict): \(change)")
        case .improved, .equivalent, .regressed: .passed
        }
      let name = "\(metric.definition.name) against the base"
      return JUnitRenderer.Case(
        suite: result.subject, name: number.map { "\(name), accepted by decision \($0)" } ?? name,
        outcome: outcome)
    }
    return measured
      + comparison.missing.map { name in
        .init(
          suite: result.subject, name: "\(name) against the base",
          outcome: .skipped("nobody measured it"))
      }
  }
}

extension BudgetResult {
  /// What came of it, with the value that was measured.
  fileprivate var sentence: String {
    let measured = value.map { _ in "\(Wording.measured(self).value) was measured" }
    let reason = [measured, note.isEmpty ? nil : note].compactMap(\.self).joined(separator: "; ")
    let verdict =
      switch self.verdict {
      case .held: "holds"
      case .broken: "is broken"
      case .unknown: "cannot be told"
      }
    return "\(budget) \(verdict)" + (reason.isEmpty ? "" : ": \(reason)")
  }
}
