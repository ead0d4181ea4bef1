internal import PerfModel
internal import PerfReport

/// The result of one variant of a scenario at the gate.
struct GateResult {
  /// `scenario:variant`, or the scenario alone if it could not be measured.
  let subject: String
  /// The run with its budgets; nil if it could not be measured.
  let summary: RunSummary?
  /// The comparison with the base; nil without one.
  let comparison: GateComparison?
  /// The reason of an error, or additional information; may be empty.
  var note: String
  let status: ExitStatus
  /// Whether the scenario was measured as a control alone: only its movement counts.
  var isControl = false
  /// Whether the result is about a scenario, not about the gate as a whole.
  var isOfScenario = true
  /// A sentence about the launches that did not complete; nil if all completed.
  var loss: String?
  /// The change of the gate's rules that the result is about, or nil.
  var change: GateChange?
}

extension GateResult {
  /// The changes that the spread of a baseline may hide, in a sentence; nil for none.
  var hiddenBySpread: String? {
    guard !isControl, let comparison = comparison?.rest, comparison.verdict != .void else {
      return nil
    }
    return ComparisonDocument(comparison).hiddenBySpread
  }

  /// Returns the result of a scenario, or of the gate as a whole, that could not be measured.
  static func failed(
    _ subject: String, _ error: any Error, isOfScenario: Bool = true
  ) -> GateResult {
    let failure = Failure(error)
    return GateResult(
      subject: subject, summary: nil, comparison: nil, note: failure.message,
      status: failure.status, isOfScenario: isOfScenario)
  }

  static func withoutLaunches(_ summary: RunSummary, note: String) -> GateResult {
    GateResult(
      subject: summary.run.subject, summary: summary, comparison: nil, note: note + summary.crash,
      status: .failed)
  }
}
