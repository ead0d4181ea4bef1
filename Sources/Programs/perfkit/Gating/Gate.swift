internal import PerfModel
internal import PerfReport
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// What came of one variant of a scenario at the gate.
struct GateResult {
  /// `scenario:variant`, or the scenario alone where it could not be measured.
  let subject: String
  /// The run with its budgets; nil where it could not be measured.
  let summary: RunSummary?
  /// The comparison with the baseline; nil without one.
  let comparison: Comparison?
  /// Why nothing can be said, or what a reader must know; may be empty.
  let note: String
  /// What it means for the exit status.
  let status: ExitStatus
  /// Whether it was measured as a control alone: only that it moved says something.
  var isControl = false
}

/// Measures scenarios and judges them by their budgets and against a baseline.
struct Gate {
  /// How they are measured.
  let measuring: Measuring
  /// The name of the stored baseline, or nil.
  let baseline: String?

  /// Measures and judges.
  ///
  /// A scenario that cannot be measured is a result of its own; the others go on.
  ///
  /// - Parameters:
  ///   - names: The scenarios.
  ///   - variants: Variants by name; none are each scenario's default.
  ///   - store: Where the runs are kept, and the baseline is.
  /// - Returns: One result for each scenario and variant, up to the user's stop.
  /// - Throws: `StoreError` for a baseline that does not exist.
  func judge(_ names: [String], variants: [String], into store: RunStore) throws -> [GateResult] {
    let sessions = try baseline.map { try store.baseline(named: $0).runs } ?? []
    var results: [GateResult] = []
    for name in names {
      for variant in variants.isEmpty ? [nil] : variants.map(Optional.some) {
        guard !measuring.context.cancellation.isRequested() else { return results }
        do {
          let subject = try measuring.subject(name)
          let run = try measuring.measure(subject, variant: variant, into: store)
          results.append(try judge(run, subject.checked.scenario, sessions, store))
        } catch is CancellationError {
          return results
        } catch {
          results.append(.failed(variant.map { "\(name):\($0)" } ?? name, error))
        }
      }
    }
    return results
  }

  private func judge(
    _ run: Run, _ scenario: Scenario, _ sessions: [RunHeader], _ store: RunStore
  ) throws -> GateResult {
    let summary = RunSummary(run, in: store)
    guard !summary.saysNothing else {
      return GateResult(
        subject: run.subject, summary: summary, comparison: nil, note: "no launch completed",
        status: .failed)
    }
    var statuses = summary.budgets.isEmpty ? [] : [ExitStatus(summary.verdict)]
    let lost = run.profiled.count - run.measured.count
    var note = lost == 0 ? "" : "\(lost) of \(run.profiled.count) launches did not complete"
    var comparison: Comparison?
    if let baseline {
      let own = sessions.filter { $0.scenario == run.scenario && $0.variant == run.variant }
      if own.isEmpty {
        note +=
          (note.isEmpty ? "" : "; ")
          + "new: baseline '\(baseline)' has no run of it, so only its budgets are judged"
      } else {
        let stored = try own.map { try store.run(id: $0.id, including: []) }
        let judged = try BaselineGate(policy: scenario.gate).compare(run, sessions: stored)
        comparison = judged
        statuses.append(ExitStatus(judged.verdict))
      }
    }
    if statuses.isEmpty {
      // A gate that has nothing to check must not be green.
      statuses = [.inconclusive]
      note = "it has no budgets, and there is no baseline to compare it with"
    }
    return GateResult(
      subject: run.subject, summary: summary, comparison: comparison, note: note,
      status: .worst(statuses))
  }
}
