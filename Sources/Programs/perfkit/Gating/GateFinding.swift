internal import PerfModel
internal import PerfReport

/// Something that a gate says about a scenario and that a reviewer should see at it.
struct GateFinding {
  /// The scenario's file, as far as it is known: from the root of the repository.
  let file: String
  /// The scenario and variant.
  let subject: String
  /// What was found.
  let message: String
  /// Whether it turns the gate red; else it is a warning.
  let isFailure: Bool

  /// A line of the log that GitHub makes an annotation of.
  ///
  /// - Note: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
  var annotation: String {
    func escaped(_ text: String, _ isProperty: Bool) -> String {
      var text = text.replacing("%", with: "%25").replacing("\r", with: "%0D")
        .replacing("\n", with: "%0A")
      if isProperty { text = text.replacing(":", with: "%3A").replacing(",", with: "%2C") }
      return text
    }
    return "::\(isFailure ? "error" : "warning") file=\(escaped(file, true)),"
      + "title=\(escaped("perfkit: " + subject, true))::\(escaped(message, false))"
  }

  /// An element of a code quality report.
  ///
  /// - Note: https://docs.gitlab.com/ci/testing/code_quality/
  var codeQuality: JSONValue {
    .object([
      "description": .string("\(subject): \(message)"),
      "check_name": "perfkit",
      // The same finding of the next run takes the place of this one.
      "fingerprint": .string("perfkit-\(subject)-\(message.prefix { $0 != " " })"),
      "severity": .string(isFailure ? "major" : "minor"),
      "location": .object(["path": .string(file), "lines": .object(["begin": .int(1)])]),
    ])
  }
}

extension GateReport {
  /// What turned the gate red or left it undecided, the former first.
  var findings: [GateFinding] {
    let all = results.flatMap { result -> [GateFinding] in
      let scenario = result.subject.prefix { $0 != ":" }
      func finding(_ message: String, _ isFailure: Bool) -> GateFinding {
        GateFinding(
          file: "\(scenarios)/\(scenario).yml", subject: result.subject, message: message,
          isFailure: isFailure)
      }
      var findings = (result.summary?.budgets ?? []).compactMap { budget -> GateFinding? in
        switch budget.verdict {
        case .held: nil
        case .broken: finding("\(budget.budget) is broken", true)
        case .unknown: finding("\(budget.budget) cannot be told", false)
        }
      }
      if let comparison = result.comparison, comparison.verdict != .equivalent,
        !result.isControl || comparison.verdict == .void
      {
        findings.append(
          finding(
            ComparisonDocument(comparison).verdictSentence, comparison.verdict == .regressed))
      }
      if result.summary == nil, !result.isControl { findings.append(finding(result.note, true)) }
      return findings
    }
    return all.filter(\.isFailure) + all.filter { !$0.isFailure }
  }

  /// A case for each budget and each metric that decides.
  var cases: [JUnitRenderer.Case] {
    results.flatMap { result -> [JUnitRenderer.Case] in
      if result.summary == nil, !result.isControl {
        return [.init(suite: result.subject, name: "measured", outcome: .error(result.note))]
      }
      let budgets = (result.summary?.budgets ?? []).map { budget -> JUnitRenderer.Case in
        let text = "\(budget.budget)"
        return switch budget.verdict {
        case .held: .init(suite: result.subject, name: text, outcome: .passed)
        case .broken:
          .init(suite: result.subject, name: text, outcome: .failed("\(text) is broken"))
        case .unknown:
          .init(suite: result.subject, name: text, outcome: .skipped("\(text) cannot be told"))
        }
      }
      let metrics = (result.comparison?.metrics ?? []).filter(\.isGating).map { metric in
        let change = ComparisonDocument.change(metric)
        let outcome: JUnitRenderer.Outcome =
          switch metric.verdict {
          case _ where result.comparison?.verdict == .void: .skipped("void: \(change)")
          case .regressed where !result.isControl: .failed("regressed: \(change)")
          case .inconclusive, .void: .skipped("\(metric.verdict): \(change)")
          case .improved, .equivalent, .regressed: .passed
          }
        return JUnitRenderer.Case(
          suite: result.subject, name: "\(metric.definition.name) against the base",
          outcome: outcome)
      }
      return budgets + metrics
    }
  }
}
