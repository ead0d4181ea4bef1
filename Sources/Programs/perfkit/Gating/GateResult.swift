/// What came of one variant of a scenario at the gate.
struct GateResult {
  /// `scenario:variant`, or the scenario alone where it could not be measured.
  let subject: String
  /// The run with its budgets; nil where it could not be measured.
  let summary: RunSummary?
  /// The comparison with the base; nil without one.
  let comparison: GateComparison?
  /// Why nothing can be said, or what a reader must know; may be empty.
  let note: String
  /// What it means for the exit status.
  let status: ExitStatus
  /// Whether it was measured as a control alone: only that it moved, or that nobody knows, says something.
  var isControl = false
  /// Whether it is of a scenario; else it is of the gate as a whole.
  var isOfScenario = true
  /// How many launches of what is judged did not complete, in words; nil when all did, or none.
  var loss: String?
}

extension GateResult {
  /// What cannot be measured.
  ///
  /// - Parameters:
  ///   - subject: The scenario with its variant, or what else failed.
  ///   - error: Why.
  ///   - isOfScenario: Whether the subject is one.
  /// - Returns: A result that is an error.
  static func failed(
    _ subject: String, _ error: any Error, isOfScenario: Bool = true
  ) -> GateResult {
    let failure = Failure(error)
    return GateResult(
      subject: subject, summary: nil, comparison: nil, note: failure.message,
      status: failure.status, isOfScenario: isOfScenario)
  }
}
