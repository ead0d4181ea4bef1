public import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// One or two sentences: the verdict, the metrics that made it, the functions that explain it.
  public var verdictSentence: String {
    ([headline] + [culpritSentence].compactMap { $0 }).joined(separator: " ")
  }

  var headline: String {
    let verdict = comparison.verdict
    let deciding = comparison.metrics.filter { $0.isGating && $0.verdict == verdict }
    switch verdict {
    case .void:
      // What was allowed is not what makes it void.
      let reasons =
        allowedDifferences.isEmpty
        ? comparison.environmentDifferences.filter(\.voids).map(\.key) : []
      let why =
        reasons.isEmpty
        ? Wording.list(voidingWarnings)
        : "\(Wording.list(reasons)) \(reasons.count == 1 ? "differs" : "differ")"
      return "Void: \(why), so nothing can be said of the change."
    case .equivalent:
      if let spread = hiddenBySpread {
        return "Equivalent: nothing that gates in \(subject) lies beyond the spread of the "
          + "baseline by its margin or more. \(spread)"
      }
      return "Equivalent: \(subject) differs in no gating metric by its margin or more."
    case .inconclusive:
      return "Inconclusive: " + reason(deciding)
    case .improved, .regressed:
      let changes = deciding.prefix(3).map(Self.change)
      let more = deciding.count > 3 ? ", and \(deciding.count - 3) more" : ""
      return "\(verdict.rawValue.capitalizedFirst): \(changes.joined(separator: ", "))\(more)."
    }
  }

  /// What makes it void where the environments do not: a control that moved, or a baseline of which no
  /// session is left.
  private var voidingWarnings: [String] {
    let codes = [
      PairedComparer.controlMoved, BaselineGate.otherParameters, BaselineGate.otherEnvironment,
    ]
    let messages = comparison.warnings.filter { codes.contains($0.code) }.map(\.message)
    return messages.isEmpty ? ["a control moved"] : messages
  }

  /// Why metrics are not decided: launches of theirs failed, or more are needed.
  private func reason(_ metrics: [MetricComparison]) -> String {
    let failed = metrics.filter { $0.failedPairs > 0 }.prefix(3).map(\.definition.name)
    let open = metrics.filter { $0.failedPairs == 0 }.prefix(3).map(\.definition.name)
    let failure =
      "launches that failed lack \(Wording.list(failed)), and without them nothing is called "
      + "equivalent or improved"
    guard failed.isEmpty || !open.isEmpty else { return failure + "." }
    let what = open.isEmpty ? "the metrics" : Wording.list(open)
    return (failed.isEmpty ? "" : failure + "; ")
      + "there is not enough evidence yet on \(what)." + forecast
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

  /// How much more would decide it, where that can be told.
  private var forecast: String {
    let open = comparison.metrics.filter {
      $0.isGating && $0.verdict == .inconclusive && $0.failedPairs == 0
    }
    let needed = open.compactMap(\.pairsNeeded).max()
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
