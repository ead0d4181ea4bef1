internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfStatistics
internal import PerfStore

extension RevisionGate {
  /// The remark on a scenario of which a gate checks nothing.
  private static let nothing =
    "it has no budgets, and there is no change to compare: commit a change, add budgets to its file, or "
    + "name another base by --against"

  /// Judges the measured items, the controls first.
  func results(
    _ measured: [Measured], _ controls: ControlScenarios, _ ledger: [Decision], _ store: RunStore
  ) throws -> [GateResult] {
    let compared = measured.compactMap { one in
      if case .compared(_, let compared) = one { compared } else { nil }
    }
    var judged = try controls.judge(compared, in: store)[...]
    return measured.compactMap { one -> GateResult? in
      switch one {
      case .judged(let result): return result
      case .compared(let item, _):
        guard let paired = judged.popFirst()?.paired else { return nil }
        do {
          return try judge(paired, item, ledger, store)
        } catch {
          return .failed(item.subject, error)
        }
      }
    }
  }

  private func judge(
    _ compared: PairedComparison, _ item: Item, _ ledger: [Decision], _ store: RunStore
  ) throws -> GateResult {
    let run = compared.candidate
    let summary = RunSummary(run, in: store, counts: compared.candidateCounts)
    guard !summary.hasNoResult else {
      return .withoutLaunches(summary, note: "no launch completed")
    }
    let loss = summary.loss(of: "candidate")
    let notes = ["comparison \(compared.stored.id)", loss].compactMap(\.self)
    let gating = GatingMetrics.names(
      compared.stored.design.policy, budgets: run.budgets, definitions: run.definitions)
    if item.isControl {
      let status = compared.statusAsControl
      let state =
        switch status {
        case .void: ", moved"
        case .inconclusive: ", not measured as planned"
        default: ""
        }
      return GateResult(
        subject: run.subject, summary: nil,
        comparison: GateComparison(compared.comparison, gating: gating),
        note: (["control\(state)"] + notes).joined(separator: "; "), status: status,
        isControl: true, loss: loss)
    }
    let comparison = GateComparison(
      compared.comparison, gating: gating, ledger: ledger,
      culprits: compared.document().culprits)
    // A gate without anything to check must not pass.
    let checksNothing = isUnchanged && run.budgets.isEmpty
    let remark = checksNothing ? [Self.nothing] : []
    return GateResult(
      subject: run.subject, summary: summary, comparison: comparison,
      note: (remark + notes + comparison.notes).joined(separator: "; "),
      // The budgets' verdict counts even without budgets: it is open if launches did not complete.
      status: .worst(
        [ExitStatus(comparison.rest.combined), ExitStatus(summary.verdict)]
          + (checksNothing ? [.inconclusive] : [])),
      loss: loss)
  }

  /// Judges a scenario whose program is the same on both sides: only its budgets are measured.
  func judgeSame(
    _ item: Item, _ sides: PairedSides, _ store: RunStore
  ) throws -> GateResult {
    let comparison = GateComparison(sides.sameProgram(measuring), gating: [])
    let note = "equivalent: the same program"
    guard sides.scenario.budgets.isEmpty else {
      return try judgeBudgets(item, sides.candidate.runnable, note, comparison, store)
    }
    let candidate = comparison.whole.candidate
    return GateResult(
      subject: "\(candidate.scenario):\(candidate.variant)", summary: nil, comparison: comparison,
      note: ((isUnchanged ? [Self.nothing] : []) + [note]).joined(separator: "; "),
      status: isUnchanged ? .inconclusive : .done)
  }

  /// Measures a scenario that the base lacks, and judges it by its budgets alone.
  func judgeNew(_ item: Item, _ store: RunStore) throws -> GateResult {
    try judgeBudgets(
      item, revisions.runnable(item.name, in: revisions.candidate, measuring: measuring),
      "new: \(revisions.base.revision.title) lacks it, so that only its budgets are judged", nil,
      store)
  }

  private func judgeBudgets(
    _ item: Item, _ runnable: RunnableScenario, _ note: String, _ comparison: GateComparison?,
    _ store: RunStore
  ) throws -> GateResult {
    let run = try measuring.measure(runnable, variant: item.variant, into: store)
    let counts = try measuring.budgetCounts(
      runnable, variant: item.variant, pairing, into: store)
    let summary = RunSummary(run, in: store, counts: counts)
    guard !summary.hasNoResult else {
      let reason = summary.obstacle(isStopped: measuring.workspace.isCancelled())
      return .withoutLaunches(summary, note: "\(note); \(reason)")
    }
    let loss = summary.loss()
    let remark = summary.budgets.isEmpty ? "it has no budgets: add some to its file" : nil
    return GateResult(
      subject: run.subject, summary: summary, comparison: comparison,
      note: [note, remark, loss].compactMap(\.self).joined(separator: "; "),
      status: summary.budgets.isEmpty ? .inconclusive : ExitStatus(summary.verdict), loss: loss)
  }
}
