internal import PerfModel
internal import PerfReport
internal import PerfStatistics

/// A comparison at the gate, with the regressions that earlier decisions accept.
public struct GateComparison {
  let whole: Comparison
  /// The numbers of the decisions that accept a regression, by the metrics' names.
  let accepted: [String: Int]
  /// The regressions that are worse than a decision accepts, as clauses.
  private let exceeded: [String]
  let missing: [String]
  /// The comparison without the accepted regressions: the gate judges by its verdict.
  let rest: Comparison
  /// The functions that explain the change, from the profiles of both sides; empty without profiles.
  let culprits: [ComparisonDocument.Culprit]

  /// Looks up which regressions are accepted.
  ///
  /// - Parameters:
  ///   - comparison: The comparison.
  ///   - gating: The names of all gating metrics, measured or not.
  ///   - ledger: All decisions; empty for a control, whose regressions cannot be accepted.
  ///   - culprits: The functions that explain the change; empty without profiles.
  init(
    _ comparison: Comparison, gating: [String], ledger: [Decision] = [],
    culprits: [ComparisonDocument.Culprit] = []
  ) {
    whole = comparison
    self.culprits = culprits
    missing = gating.filter { name in
      !comparison.isSameProgram
        && !comparison.metrics.contains { $0.isGating && $0.definition.name == name }
    }
    var accepted: [String: Int] = [:]
    var exceeded: [String] = []
    let standing = ledger.standing
    // A decision cannot accept a void comparison.
    if comparison.combined == .regressed {
      for metric in comparison.gating where metric.verdict == .regressed {
        let name = metric.definition.name
        accepted[name] = standing.last { $0.accepts(metric, of: comparison) }?.number
        guard accepted[name] == nil,
          let decision = standing.last(where: { $0.accepted(metric, of: comparison) != nil })
        else { continue }
        exceeded.append("\(name) is worse than decision \(decision.number) accepts")
      }
    }
    (self.accepted, self.exceeded) = (accepted, exceeded)
    rest = accepted.isEmpty ? comparison : comparison.without(accepted.keys, missing: missing)
  }

  /// The document of the comparison with all regressions.
  func document(noise: NoiseStatus? = nil) -> ComparisonDocument {
    ComparisonDocument(whole, culprits: culprits, noise: noise)
  }

  /// The verdict on the regressions that are not accepted.
  var openSentence: String {
    ComparisonDocument(
      rest, culprits: culprits,
      leavesOutAccepted: accepted.keys.contains { !MetricName.work.contains($0) }
    ).verdictSentence
  }

  /// One or two sentences: the accepted regressions, and the verdict on the rest.
  var sentences: [String] {
    let isOpen = accepted.isEmpty || rest.combined != .equivalent
    return [acceptance].compactMap(\.self)
      + (isOpen ? [openSentence] : [])
  }

  /// The accepted regressions in a sentence; nil if there are none.
  var acceptance: String? {
    guard !accepted.isEmpty else { return nil }
    let changes = whole.gating.compactMap { metric in
      number(accepting: metric).map { number in
        "\(ComparisonDocument.change(metric)) by decision \(number)"
      }
    }
    return "Accepted: \(changes.joined(separator: ", "))."
  }

  /// The metrics that a decision accepts, and those that are worse than it accepts, for the note of a result.
  var notes: [String] {
    accepted.sorted { $0.key < $1.key }.map { "\($0) accepted by decision \($1)" } + exceeded
  }

  /// The warnings of a command with accepted exit statuses that differ between both sides, as a
  /// sentence; nil if it ended in the same way.
  var differentExits: String? {
    // Counted launches have warnings of their own.
    let messages = whole.warnings.filter { $0.code == "command.exit" }.map(\.message)
      .filter { message in ["base: ", "candidate: "].contains { message.hasPrefix($0) } }
    // A message begins with its side, as in `base: the command ended with exit status 1`.
    let ends = Set(messages.map { $0.drop { $0 != ":" } })
    guard messages.count == 1 || ends.count > 1 else { return nil }
    return "Both sides end differently: \(messages.joined(separator: "; "))."
  }

  func number(accepting metric: MetricComparison) -> Int? {
    metric.isGating ? accepted[metric.definition.name] : nil
  }

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
  /// Metrics and controls that were not measured leave the verdict open even if every regression is
  /// accepted.
  fileprivate func without(
    _ names: some Collection<String>, missing: [String]
  ) -> Comparison {
    var rest = self
    rest.metrics = metrics.filter { !$0.isGating || !names.contains($0.definition.name) }
    let unknown = missing.count + (hasUnknownControl ? 1 : 0)
    let verdicts =
      rest.metrics.filter(\.isGating).map(\.verdict)
      + [ComparisonVerdict](repeating: .inconclusive, count: unknown)
    rest.verdict = verdicts.isEmpty ? .equivalent : Verdicts.together(verdicts)
    rest.work = work?.without(names)
    return rest
  }
}
