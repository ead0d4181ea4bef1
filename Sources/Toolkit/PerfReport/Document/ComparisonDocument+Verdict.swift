public import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// One to three sentences: the verdict with its metrics, and the functions that explain it.
  public var verdictSentence: String {
    [headline, explanation].compactMap(\.self).joined(separator: " ")
  }

  /// The sentences on the functions that explain the verdict; nil if no function is certain.
  var explanation: String? {
    let sentences = [allocationSentence, culpritSentence].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  var headline: String { comparison.work.map(workHeadline) ?? timeHeadline }

  var timeHeadline: String {
    let verdict = comparison.verdict
    switch verdict {
    case .void: return void
    case .equivalent:
      let subject = "\(comparison.candidate.scenario):\(comparison.candidate.variant)"
      if comparison.isSameProgram {
        return
          "Equivalent: \(subject) is the same program, with the same parameters and inputs, on both "
          + "sides, so that nothing was measured."
      }
      return hiddenBySpread.map { spread in
        "Equivalent: no gating metric of \(subject) exceeds the spread of the baseline by its "
          + "margin. \(spread)"
      } ?? "Equivalent: no gating metric of \(subject) changed by its margin or more."
    case .inconclusive:
      return "Inconclusive: " + reasons(deciding)
    case .improved, .regressed:
      let changes = deciding.prefix(3).map(Self.change)
      let more = deciding.count > 3 ? ", and \(deciding.count - 3) more" : ""
      return "\(verdict.rawValue.capitalizedFirst): \(changes.joined(separator: ", "))\(more)."
    }
  }

  private var deciding: [MetricComparison] {
    comparison.metrics.filter { $0.isGating && $0.verdict == comparison.verdict }
  }

  /// The sentence on the cause of a void comparison: environments, a control, scenarios or sessions.
  private var void: String {
    let facts = comparison.environmentDifferences.filter(\.voids).map(\.key)
    guard facts.isEmpty || !allowedDifferences.isEmpty else {
      return
        "Void: \(Wording.list(facts)) \(facts.count == 1 ? "differs" : "differ") between base and "
        + "candidate."
    }
    func messages(_ codes: String...) -> String {
      comparison.warnings.filter { codes.contains($0.code) }.map(\.message).joined(separator: "; ")
    }
    let others = messages(
      RunComparer.scenariosDiffer, RunComparer.otherParameters, RunComparer.otherEnvironment)
    guard others.isEmpty else { return "Void: \(others)." }
    let moved = messages(PairedComparer.controlMoved)
    return "Void: \(moved.isEmpty ? "a control moved" : moved). "
      + "Either the machine changed or its input did."
  }

  /// Returns why metrics are undecided: an unknown control, failed launches, or too little evidence.
  private func reasons(_ metrics: [MetricComparison]) -> String {
    var reasons = comparison.warnings.filter { $0.code == PairedComparer.controlUnknown }.prefix(1)
      .map(\.message)
    let failed = metrics.filter { $0.failures > 0 }.prefix(3).map(\.definition.name)
    if !failed.isEmpty {
      reasons.append(
        "failed launches lack \(Wording.list(failed)), so \(failed.count == 1 ? "it" : "they") cannot "
          + "be called equivalent or improved")
    }
    let open = metrics.filter { $0.failures == 0 }
    return (open.isEmpty && !reasons.isEmpty)
      ? reasons.joined(separator: "; ") + "."
      : (reasons + [undecided(open)]).joined(separator: "; ")
  }

  /// Returns which metrics are undecided, and a forecast of the pairs that are needed.
  private func undecided(_ metrics: [MetricComparison]) -> String {
    let names = metrics.map(\.definition.name)
    let subject = names.isEmpty ? "the comparison" : Wording.list(firstOf: names)
    let verb = names.count > 1 ? "are" : "is"
    guard let made = comparison.pairing?.pairs else {
      let remedy =
        pairedComparison.map { "Their launches are pairs: 'perfkit compare \($0)' compares them." }
        ?? commandForPairs.map { "Measure in pairs: \($0)." }
        ?? "Pairs decide smaller changes: see 'perfkit diff --help'."
      let reasons = Set(metrics.map(\.note))
      let reason = reasons.count == 1 ? reasons.first.flatMap(\.self) : nil
      return "\(subject) \(verb) undecided\(reason.map { ": \($0)" } ?? ""). \(remedy)"
    }
    return "\(subject) \(verb) undecided after \(Wording.count(made, "pair")). "
      + forecast(metrics, made: made)
  }

  /// The command that measures the sides in pairs; nil if it is unknown.
  private var commandForPairs: String? {
    let (first, second) = (comparison.base, comparison.candidate)
    let runs = [base, candidate].compactMap { $0?.run }
    guard runs.count == 2, first.scenario == second.scenario,
      runs.allSatisfy(\.hasScenarioFile)
    else { return nil }
    let scenario = " --scenario \(first.scenario) --variant \(first.variant)"
    if first.variant != second.variant {
      return "perfkit diff\(scenario) --variant \(second.variant)"
    }
    let commits = runs.compactMap { run in
      run.environment[.dirty] == "true" ? nil : Wording.commit(run.environment[.commit])
    }
    let revisions =
      commits.count == 2 && commits[0] != commits[1] ? " \(commits[0]) \(commits[1])" : ""
    return "perfkit diff\(revisions)\(scenario)"
  }

  /// A sentence on metrics that may have changed by more than their margin within the spread of a
  /// baseline; nil if there are none.
  public var hiddenBySpread: String? {
    guard let sessions = comparison.sessions else { return nil }
    let hidden = comparison.metrics.filter { metric in
      guard metric.isGating, metric.verdict == .equivalent, let margin = metric.margin,
        let low = metric.low, let high = metric.high
      else { return false }
      return low <= -margin || high >= margin
    }
    guard !hidden.isEmpty else { return nil }
    let named = hidden.map { "\($0.definition.name) (\(Wording.changeInterval($0)))" }
    return
      "The spread of \(Wording.count(sessions, "session")) may hide a change beyond the margin of "
      + "\(Wording.list(firstOf: named))."
  }

  /// Returns the pairs that would probably decide the metrics and the option for them, or a remedy.
  private func forecast(_ metrics: [MetricComparison], made: Int) -> String {
    let most = LookSchedule.mostPairs
    guard made < most else { return LookSchedule.remedy }
    let forecasts = metrics.compactMap(\.pairsNeeded)
    guard let needed = forecasts.max(), forecasts.count == metrics.count else {
      return "More pairs may decide: repeat the command with a greater --max-time or --max-pairs."
    }
    guard made + needed <= most else {
      return LookSchedule.tooFew
    }
    let more = "About \(Wording.count(needed, "more pair"))"
    guard let pairing = comparison.pairing, let timePerPair = pairing.timePerPair else {
      return "\(more) would probably decide."
    }
    let time = timePerPair * Double(needed)
    let options =
      ["--max-time \(Self.option(time))"]
      + (made + needed > pairing.maxPairs ?? most ? ["--max-pairs \(made + needed)"] : [])
    return "\(more), \(Self.duration(time)), would probably decide: repeat the command with "
      + "\(options.joined(separator: " "))."
  }

  /// Returns nanoseconds in minutes or a smaller unit.
  private static func duration(_ time: Double) -> String {
    time < 1.2e11
      ? NumberFormat.human(time, .time, digits: 2)
      : "\(NumberFormat.significant(time / 6e10, digits: 2)) min"
  }

  /// Returns an argument of `--max-time` that leaves a quarter of the time in reserve.
  private static func option(_ time: Double) -> String {
    let seconds = time * 1.25 / 1e9
    return seconds <= 90
      ? "\(Int((seconds / 10).rounded(.up)) * 10)s" : "\(Int((seconds / 60).rounded(.up)))min"
  }

  /// Returns a metric's change in words, such as `wall rose by 20% (50 ms to 60 ms)`.
  public static func change(_ metric: MetricComparison) -> String {
    let dimension = metric.definition.dimension
    let values =
      "\(Wording.value(metric.base, dimension)) to \(Wording.value(metric.candidate, dimension))"
    return "\(metric.movement) (\(values))"
  }

  var culpritSentence: String? {
    guard !culprits.isEmpty else { return nil }
    let touched = Set(comparison.functions.filter(\.isTouched).map(\.name))
    let named = culprits.map { culprit in
      "\(culprit.name) (\(NumberFormat.humanChange(culprit.difference, .time)) per launch"
        + (touched.contains(culprit.name) ? ", near changed lines)" : ")")
    }
    return "CPU time changed in \(Wording.list(named))."
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
