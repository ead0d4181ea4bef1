public import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// One or two sentences: the verdict, the metrics that made it, the functions that explain it.
  public var verdictSentence: String {
    ([headline] + [culpritSentence].compactMap { $0 }).joined(separator: " ")
  }

  var headline: String {
    let verdict = comparison.verdict
    switch verdict {
    case .void:
      // What was allowed is not what makes it void.
      return void(allowedDifferences.isEmpty ? voidingDifferences : [])
    case .equivalent:
      if let spread = hiddenBySpread {
        return "Equivalent: nothing that gates in \(subject) lies beyond the spread of the "
          + "baseline by its margin or more. \(spread)"
      }
      return "Equivalent: \(subject) differs in no gating metric by its margin or more."
    case .inconclusive:
      return "Inconclusive: " + reasons(deciding)
    case .improved, .regressed:
      let changes = deciding.prefix(3).map(Self.change)
      let more = deciding.count > 3 ? ", and \(deciding.count - 3) more" : ""
      return "\(verdict.rawValue.capitalizedFirst): \(changes.joined(separator: ", "))\(more)."
    }
  }

  /// The headline as reports of `PairedEvidence.olderForm` may have it.
  ///
  /// They asked for more evidence where launches had failed, and named differences that were allowed as
  /// what makes a comparison void. What has not changed since is as in today's.
  var olderHeadline: String {
    switch comparison.verdict {
    case .void: void(voidingDifferences)
    case .inconclusive: "Inconclusive: " + moreEvidence(on: deciding)
    case .equivalent, .improved, .regressed: headline
    }
  }

  /// The gating metrics that the verdict follows from.
  private var deciding: [MetricComparison] {
    comparison.metrics.filter { $0.isGating && $0.verdict == comparison.verdict }
  }

  /// The facts in which the environments differ so that nothing can be compared, unless it was allowed.
  private var voidingDifferences: [String] {
    comparison.environmentDifferences.filter(\.voids).map(\.key)
  }

  /// Says that it is void because some facts differ; without any, what else makes it void.
  private func void(_ facts: [String]) -> String {
    let why =
      facts.isEmpty
      ? Wording.list(voidingWarnings)
      : "\(Wording.list(facts)) \(facts.count == 1 ? "differs" : "differ")"
    return "Void: \(why), so nothing can be said of the change."
  }

  /// What makes it void where the environments do not: other scenarios, a control that moved, or a
  /// baseline of which no session is left.
  private var voidingWarnings: [String] {
    let codes = [
      RunComparer.scenariosDiffer, PairedComparer.controlMoved, BaselineGate.otherParameters,
      BaselineGate.otherEnvironment,
    ]
    let messages = comparison.warnings.filter { codes.contains($0.code) }.map(\.message)
    return messages.isEmpty ? ["a control moved"] : messages
  }

  /// Why it is not decided: a control is unknown, or metrics are open.
  private func reasons(_ metrics: [MetricComparison]) -> String {
    let control = comparison.warnings.first { $0.code == PairedComparer.controlUnknown }?.message
    guard let control else { return reason(metrics) }
    return metrics.isEmpty ? "\(control)." : "\(control); \(reason(metrics))"
  }

  /// Why metrics are not decided: launches of theirs failed, or more are needed.
  private func reason(_ metrics: [MetricComparison]) -> String {
    let failed = metrics.filter { $0.failures > 0 }.prefix(3).map(\.definition.name)
    let open = metrics.filter { $0.failures == 0 }
    let failure =
      "launches that failed lack \(Wording.list(failed)), and without them nothing is called "
      + "equivalent or improved"
    guard failed.isEmpty || !open.isEmpty else { return failure + "." }
    return (failed.isEmpty ? "" : failure + "; ") + moreEvidence(on: open)
  }

  /// Asks for more evidence on metrics that are open.
  private func moreEvidence(on metrics: [MetricComparison]) -> String {
    let names = metrics.prefix(3).map(\.definition.name)
    let what = names.isEmpty ? "the metrics" : Wording.list(names)
    return "there is not enough evidence yet on \(what)." + forecast(metrics)
  }

  /// What may have changed by more than its margin within the spread of a baseline's sessions, in a
  /// sentence; nil when nothing that is called equivalent can have.
  public var hiddenBySpread: String? {
    guard let sessions = comparison.sessions else { return nil }
    let hidden = comparison.metrics.filter { metric in
      guard metric.isGating, metric.verdict == .equivalent, let margin = metric.margin,
        let low = metric.low, let high = metric.high
      else { return false }
      return low <= -margin || high >= margin
    }
    guard !hidden.isEmpty else { return nil }
    let named = hidden.prefix(3).map { "\($0.definition.name) (\(Wording.changeInterval($0)))" }
    let more = hidden.count > 3 ? ["\(hidden.count - 3) more"] : []
    return "The spread of \(Wording.count(sessions, "session")) may hide a change beyond the "
      + "margin in \(Wording.list(named + more))."
  }

  /// How much more would decide metrics, where that can be told.
  private func forecast(_ metrics: [MetricComparison]) -> String {
    let needed = metrics.compactMap(\.pairsNeeded).max()
    guard let made = comparison.pairing?.pairs else { return "" }
    let more = needed.map { Wording.count($0, "more pair") }
    let most = LookSchedule.lastLook
    if made < most, made + (needed ?? 0) <= most {
      return more.map { " Probably \($0) would decide it." } ?? ""
    }
    let forecast = more.map { "It would probably take \($0)" } ?? "More would be needed"
    return " \(forecast), and no more than \(most) are made: \(LookSchedule.remedy)."
  }

  private var subject: String {
    "\(comparison.candidate.scenario):\(comparison.candidate.variant)"
  }

  /// A metric's change in words, as `wall from 50 ms to 60 ms (+20 %)`.
  public static func change(_ metric: MetricComparison) -> String {
    let dimension = metric.definition.dimension
    let values =
      "\(Wording.value(metric.base, dimension)) to \(Wording.value(metric.candidate, dimension))"
    return "\(metric.definition.name) from \(values) "
      + "(\(Wording.change(metric.estimate, of: metric.definition)))"
  }

  var culpritSentence: String? {
    guard !culprits.isEmpty else { return nil }
    let named = culprits.map { culprit in
      "\(culprit.name) (\(NumberFormat.humanChange(culprit.difference, .time)) a launch)"
    }
    return "CPU time moved in \(Wording.list(named))."
  }
}

extension String {
  /// The text with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
