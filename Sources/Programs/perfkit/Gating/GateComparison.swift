internal import PerfModel
internal import PerfReport
internal import PerfStatistics

/// A comparison at the gate, with what the ledger accepts of it.
struct GateComparison {
  /// What was measured and what follows of it.
  let whole: Comparison
  /// The numbers of the decisions that accept a regression, by the metrics' names.
  let accepted: [String: Int]
  /// The gating metrics that nobody measured.
  let missing: [String]
  /// What is left to judge by: the comparison without the regressions that are accepted.
  let rest: Comparison

  /// Looks up what is accepted.
  ///
  /// - Parameters:
  ///   - comparison: What was compared.
  ///   - gating: The names of all metrics that gate, measured or not.
  ///   - ledger: All decisions; none where nothing can be accepted, as of a control.
  init(_ comparison: Comparison, gating: [String], ledger: [Decision] = []) {
    whole = comparison
    missing = gating.filter { name in
      !comparison.metrics.contains { $0.isGating && $0.definition.name == name }
    }
    var accepted: [String: Int] = [:]
    let standing = ledger.standing
    // What is void is void whatever anybody accepts.
    if comparison.verdict == .regressed {
      for metric in comparison.metrics where metric.isGating && metric.verdict == .regressed {
        accepted[metric.definition.name] =
          standing.last { $0.accepts(metric, of: comparison) }?.number
      }
    }
    self.accepted = accepted
    rest = accepted.isEmpty ? comparison : comparison.without(accepted.keys, missing: missing)
  }

  /// It in one or two sentences: what is accepted, and what is left.
  var sentences: [String] {
    let isOpen = accepted.isEmpty || rest.verdict != .equivalent
    return [acceptance].compactMap(\.self)
      + (isOpen ? [ComparisonDocument(rest).verdictSentence] : [])
  }

  /// What is accepted, in a sentence; nil when nothing is.
  var acceptance: String? {
    guard !accepted.isEmpty else { return nil }
    let changes = whole.metrics.compactMap { metric in
      number(accepting: metric).map { number in
        "\(ComparisonDocument.change(metric)) by decision \(number)"
      }
    }
    return "Accepted: \(changes.joined(separator: ", "))."
  }

  /// What is accepted by which decision, for the notes of a result.
  var notes: [String] {
    accepted.sorted { $0.key < $1.key }.map { "\($0) accepted by decision \($1)" }
  }

  /// Which decision accepts the regression of a metric; nil when none does.
  func number(accepting metric: MetricComparison) -> Int? {
    metric.isGating ? accepted[metric.definition.name] : nil
  }

  /// What is accepted, for scripts.
  var json: JSONValue {
    .array(
      accepted.sorted { $0.key < $1.key }.map { metric, number in
        .object(["metric": .string(metric), "decision": .int(number)])
      })
  }
}

extension Comparison {
  /// Returns the comparison without some of its gating metrics.
  ///
  /// What was not measured, a control among it, is missing evidence also when all the rest is accepted.
  fileprivate func without(
    _ names: some Collection<String>, missing: [String]
  ) -> Comparison {
    let metrics = metrics.filter { !$0.isGating || !names.contains($0.definition.name) }
    let unknown = missing.count + (hasUnknownControl ? 1 : 0)
    let verdicts =
      metrics.filter(\.isGating).map(\.verdict)
      + [ComparisonVerdict](repeating: .inconclusive, count: unknown)
    return Comparison(
      id: id, base: base, candidate: candidate, alpha: alpha, seed: seed, pairing: pairing,
      sessions: sessions, metrics: metrics, functions: functions,
      environmentDifferences: environmentDifferences, warnings: warnings,
      verdict: verdicts.isEmpty ? .equivalent : Verdicts.together(verdicts))
  }
}
