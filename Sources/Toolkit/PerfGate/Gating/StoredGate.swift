internal import PerfModel
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Measures scenarios and judges them by their budgets and against a stored baseline.
struct StoredGate {
  let measuring: Measuring
  /// The name of the baseline; nil to judge budgets only.
  let baseline: String?
  /// Whether sessions of other environments count nevertheless, and which work is counted.
  let pairing: PairingSettings
  let pages: LedgerFolder

  private struct MeasuredRun {
    let run: Run
    /// The counts that decide the budgets of counted metrics; nil for none.
    let counts: WorkCounts?
    let policy: Scenario.GatePolicy
    /// The sessions of the baseline; empty without one, or if it lacks the scenario.
    let sessions: [RunHeader]

    var gating: [String] {
      GatingMetrics.names(policy, budgets: run.budgets, definitions: run.definitions)
    }
  }

  private enum Measured {
    case run(MeasuredRun)
    case failed(GateResult)
  }

  /// Measures and judges scenarios.
  ///
  /// A scenario that cannot be measured is a failed result. All scenarios are measured before the first
  /// is judged, as all gating metrics share the error of the gate.
  ///
  /// - Parameters:
  ///   - names: The scenarios of the gate.
  ///   - own: The scenarios to judge; nil for all.
  ///   - isWhole: Whether a scenario that the baseline has in addition is a result.
  ///   - variants: The variants of each scenario; empty for the default variant.
  ///   - store: The store with the baseline, which receives the runs.
  /// - Returns: One result for each scenario and variant, up to the user's stop.
  /// - Throws: `StoreError` for an unknown baseline.
  func judge(
    _ names: [String], only own: [String]?, isWhole: Bool, variants: [String],
    into store: RunStore
  ) throws -> [GateResult] {
    let sessions = try baseline.map { try store.baseline(named: $0).runs } ?? []
    let lost =
      isWhole
      ? try Set(sessions.map(\.scenario)).subtracting(measuring.library.names()).sorted() : []
    let removed = lost.map { name in
      let sentence = "Scenario \(name) is removed: baseline '\(baseline ?? "")' has it."
      return GateResult(
        subject: name, summary: nil, comparison: nil,
        note: sentence + " If that is intended, save the baseline again without it.",
        status: .gateFailed, isOfScenario: false,
        change: GateChange(kind: .removed, subject: name, sentence: sentence))
    }
    let measured = measure(own ?? names, variants: variants, sessions, store)
    let others = own.map { own in names.filter { !own.contains($0) } } ?? []
    let gatingCount = try measured.reduce(
      count(of: others, variants: variants, sessions, store)
    ) { sum, one in
      guard case .run(let one) = one, !one.sessions.isEmpty else { return sum }
      return sum + one.gating.count
    }
    let judged = measured.map { one -> GateResult in
      switch one {
      case .failed(let result): return result
      case .run(let one):
        do {
          return try judge(one, gatingCount: gatingCount, store)
        } catch {
          return .failed(one.run.subject, error)
        }
      }
    }
    return removed + judged
  }

  /// Returns the number of gating metrics of scenarios that other shards measure, which share the error
  /// of the gate; the metrics are those of the baseline's latest sessions.
  private func count(
    of names: [String], variants: [String], _ sessions: [RunHeader], _ store: RunStore
  ) throws -> Int {
    try names.reduce(0) { sum, name in
      guard let scenario = try? measuring.file(name).scenario else { return sum }
      return try Measuring.variants(named: variants).reduce(sum) { sum, variant in
        let session = sessions.last {
          $0.scenario == scenario.name && $0.variant == variant ?? scenario.defaultVariant
        }
        guard let session else { return sum }
        return sum
          + GatingMetrics.names(
            scenario.gate, budgets: scenario.budgets,
            definitions: try store.run(id: session.id, including: []).definitions
          ).count
      }
    }
  }

  /// Measures all scenarios, up to the user's stop.
  private func measure(
    _ names: [String], variants: [String], _ sessions: [RunHeader], _ store: RunStore
  ) -> [Measured] {
    var measured: [Measured] = []
    for name in names {
      for variant in Measuring.variants(named: variants) {
        guard !measuring.workspace.isCancelled() else { return measured }
        do {
          let runnable = try measuring.runnable(name)
          let run = try measuring.measure(runnable, variant: variant, into: store)
          measured.append(
            .run(
              MeasuredRun(
                run: run,
                counts: try measuring.budgetCounts(
                  runnable, variant: variant, pairing, into: store),
                policy: runnable.scenario.gate,
                sessions: sessions.filter {
                  $0.scenario == run.scenario && $0.variant == run.variant
                })))
        } catch is CancellationError {
          return measured
        } catch {
          measured.append(.failed(.failed(variant.map { "\(name):\($0)" } ?? name, error)))
        }
      }
    }
    return measured
  }

  private func judge(
    _ measured: MeasuredRun, gatingCount: Int, _ store: RunStore
  ) throws -> GateResult {
    let run = measured.run
    let summary = RunSummary(run, in: store, counts: measured.counts)
    guard !summary.hasNoResult else {
      return .withoutLaunches(
        summary, note: summary.obstacle(isStopped: measuring.workspace.isCancelled()))
    }
    var statuses = summary.budgets.isEmpty ? [] : [ExitStatus(summary.verdict)]
    let loss = summary.loss()
    var notes = [loss].compactMap(\.self)
    var comparison: GateComparison?
    if let baseline, measured.sessions.isEmpty {
      notes.append("new: baseline '\(baseline)' lacks it, so that only its budgets are judged")
    } else if baseline != nil {
      let judged = try compare(measured, gatingCount: gatingCount, store)
      comparison = judged
      // The budgets' verdict counts even without budgets: it is open if launches did not complete.
      statuses += [ExitStatus(judged.rest.combined), ExitStatus(summary.verdict)]
      notes += judged.notes
    }
    if statuses.isEmpty {
      // A gate without anything to check must not pass.
      statuses = [.inconclusive]
      notes.append(
        baseline == nil
          ? "it has no budgets and no baseline: add budgets to its file, or name a baseline by --against"
          : "it has no budgets: add some to its file")
    }
    return GateResult(
      subject: run.subject, summary: summary, comparison: comparison,
      note: notes.joined(separator: "; "), status: .worst(statuses), loss: loss)
  }

  private func compare(
    _ measured: MeasuredRun, gatingCount: Int, _ store: RunStore
  ) throws -> GateComparison {
    let judge = RunComparer(
      policy: measured.policy, gatingCount: gatingCount,
      allowsDifferentEnvironments: pairing.allowsDifferentEnvironments)
    return GateComparison(
      try judge.compare(
        measured.run, sessions: measured.sessions.map { try store.run(id: $0.id, including: []) }),
      gating: measured.gating,
      ledger: try Ledger.decisions(in: store, and: pages))
  }
}
