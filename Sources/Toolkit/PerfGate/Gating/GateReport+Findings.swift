internal import PerfModel
internal import PerfReport
internal import PerfStatistics

extension GateReport {
  /// The findings: failures first, then warnings, then notices.
  var findings: [GateFinding] {
    let all = results.flatMap { findings(of: $0) } + [stop].compactMap(\.self)
    return GateFinding.sorted(all)
  }

  /// The finding that the gate was stopped, unless a result reports it.
  private var stop: GateFinding? {
    guard status == .interrupted, !results.contains(where: { $0.status == .interrupted }) else {
      return nil
    }
    return GateFinding(
      file: projectFile, subject: "gate", topic: "stop", message: sentence,
      level: .failure)
  }

  private func findings(of result: GateResult) -> [GateFinding] {
    let scenario = result.subject.prefix { $0 != ":" }
    let folder = result.isOfScenario ? scenarios : nil
    let file = folder.map { "\($0)/\(scenario).yml" } ?? projectFile
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
        switch comparison.rest.combined {
        case .regressed: .failure
        case .inconclusive, .void: .warning
        case .improved: .notice
        case .equivalent: nil
        }
      if let level {
        findings.append(
          finding(comparison.rest.combined.rawValue, comparison.openSentence, level))
      }
      if !comparison.missing.isEmpty {
        findings.append(
          finding(
            "missing", "Gating metrics were not measured: \(Wording.list(comparison.missing)).",
            .warning))
      }
    }
    if let change = result.change {
      findings.append(finding(change.kind.rawValue, result.note, change.level))
    }
    // Every status other than done has a finding that explains it.
    let least: GateFinding.Level? =
      switch result.status {
      case .gateFailed, .failed, .usage, .interrupted: .failure
      case .inconclusive, .void: .warning
      case .done: nil
      }
    if let least, !findings.contains(where: { $0.level <= least }) {
      findings.append(finding("status", result.note, least))
    }
    if let loss = result.loss { findings.append(finding("launches", loss, .warning)) }
    // An old program passes a gate against a baseline, whatever the new source does.
    findings += (result.summary?.run.warnings ?? []).filter(\.isOfProgram)
      .map { finding($0.code, "Note: \($0)", .warning) }
    if let exits = result.comparison?.differentExits {
      findings.append(finding("exits", exits, .warning))
    }
    if let spread = result.hiddenBySpread { findings.append(finding("spread", spread, .notice)) }
    // A verdict that depends on an assumption of the user's is shown, whatever it is.
    if let comparison = result.comparison, !result.isControl {
      let codes = [PairedComparer.controlUnseen, RunComparer.otherHosts]
      findings += comparison.whole.warnings.filter { codes.contains($0.code) }
        .map { finding($0.code + $0.message, "Note: \($0)", .warning) }
      findings += comparison.document().allowedDifferences.map { difference in
        let (base, candidate) = (difference.base ?? "unknown", difference.candidate ?? "unknown")
        return finding(
          "allowed \(difference.key) \(base)",
          "The environments differ, which --allow-different-environments permits: "
            + "\(difference.key) is '\(base)' in the base and '\(candidate)' in the candidate.",
          .warning)
      }
    }
    return findings
  }
}

extension BudgetResult {
  var sentence: String {
    let measured = value.map { _ in "measured \(Wording.measured(self).value)" }
    let reason = [measured, note.isEmpty ? nil : note].compactMap(\.self).joined(separator: "; ")
    let verdict =
      switch self.verdict {
      case .held: "held"
      case .broken: "broken"
      case .unknown: "undecided"
      }
    return "budget \(budget) is \(verdict)" + (reason.isEmpty ? "" : ": \(reason)")
  }
}
