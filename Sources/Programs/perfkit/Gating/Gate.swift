internal import PerfModel
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Measures scenarios and judges them by their budgets and against a baseline.
struct Gate {
  /// How they are measured.
  let measuring: Measuring
  /// The name of the stored baseline, or nil.
  let baseline: String?
  /// Whether sessions of other environments count all the same.
  let allowsDifferentEnvironments: Bool
  /// Where the pages of what was decided lie.
  let pages: LedgerFolder

  /// What was measured of a scenario, and what it is compared with.
  private struct Measured {
    let run: Run
    let policy: Scenario.GatePolicy
    /// The sessions of the baseline; empty without one, or where it has none of this scenario.
    let sessions: [RunHeader]

    /// The names of the metrics that gate.
    var gating: [String] {
      GatingMetrics.names(policy, budgets: run.budgets, definitions: run.definitions)
    }
  }

  private enum Outcome {
    case measured(Measured)
    case failed(GateResult)
  }

  /// Measures and judges.
  ///
  /// A scenario that cannot be measured is a result of its own; the others go on. All are measured
  /// before the first is judged: the error of the gate is shared by all metrics that decide.
  ///
  /// - Parameters:
  ///   - names: The scenarios.
  ///   - variants: Variants by name; none are each scenario's default.
  ///   - store: Where the runs are kept, and the baseline is.
  /// - Returns: One result for each scenario and variant, up to the user's stop.
  /// - Throws: `StoreError` for a baseline that does not exist.
  func judge(_ names: [String], variants: [String], into store: RunStore) throws -> [GateResult] {
    let sessions = try baseline.map { try store.baseline(named: $0).runs } ?? []
    let outcomes = measure(names, variants: variants, sessions, store)
    let gatingCount = outcomes.reduce(0) { sum, outcome in
      guard case .measured(let one) = outcome, !one.sessions.isEmpty else { return sum }
      return sum + one.gating.count
    }
    return outcomes.map { outcome in
      switch outcome {
      case .failed(let result): return result
      case .measured(let one):
        do {
          return try judge(one, gatingCount: gatingCount, store)
        } catch {
          return .failed(one.run.subject, error)
        }
      }
    }
  }

  /// Measures all, up to the user's stop.
  private func measure(
    _ names: [String], variants: [String], _ sessions: [RunHeader], _ store: RunStore
  ) -> [Outcome] {
    var outcomes: [Outcome] = []
    for name in names {
      for variant in Measuring.variants(named: variants) {
        guard !measuring.context.cancellation.isRequested() else { return outcomes }
        do {
          let subject = try measuring.subject(name)
          let run = try measuring.measure(subject, variant: variant, into: store)
          outcomes.append(
            .measured(
              Measured(
                run: run, policy: subject.checked.scenario.gate,
                sessions: sessions.filter {
                  $0.scenario == run.scenario && $0.variant == run.variant
                })))
        } catch is CancellationError {
          return outcomes
        } catch {
          outcomes.append(.failed(.failed(variant.map { "\(name):\($0)" } ?? name, error)))
        }
      }
    }
    return outcomes
  }

  private func judge(
    _ measured: Measured, gatingCount: Int, _ store: RunStore
  ) throws -> GateResult {
    let run = measured.run
    let summary = RunSummary(run, in: store)
    guard !summary.saysNothing else {
      return GateResult(
        subject: run.subject, summary: summary, comparison: nil,
        note: summary.nothing(isStopped: measuring.context.cancellation.isRequested()),
        status: .failed)
    }
    var statuses = summary.budgets.isEmpty ? [] : [ExitStatus(summary.verdict)]
    let loss = summary.loss()
    var notes = [loss].compactMap(\.self)
    var comparison: GateComparison?
    if let baseline, measured.sessions.isEmpty {
      notes.append("new: baseline '\(baseline)' has no run of it, so only its budgets are judged")
    } else if baseline != nil {
      let judged = try compare(measured, gatingCount: gatingCount, store)
      comparison = judged
      // Launches that did not complete leave it open where there are no budgets as well.
      statuses += [ExitStatus(judged.rest.verdict), ExitStatus(summary.verdict)]
      notes += judged.notes
    }
    if statuses.isEmpty {
      // A gate that has nothing to check must not be green.
      statuses = [.inconclusive]
      let lacking = baseline == nil ? ", and there is no baseline to compare it with" : ""
      notes.append("it has no budgets" + lacking)
    }
    return GateResult(
      subject: run.subject, summary: summary, comparison: comparison,
      note: notes.joined(separator: "; "), status: .worst(statuses), loss: loss)
  }

  private func compare(
    _ measured: Measured, gatingCount: Int, _ store: RunStore
  ) throws -> GateComparison {
    let judge = BaselineGate(
      policy: measured.policy, gatingCount: gatingCount,
      allowsDifferentEnvironments: allowsDifferentEnvironments)
    return GateComparison(
      try judge.compare(
        measured.run, sessions: measured.sessions.map { try store.run(id: $0.id, including: []) }),
      gating: measured.gating,
      ledger: try Ledger.decisions(in: store, and: pages))
  }
}
