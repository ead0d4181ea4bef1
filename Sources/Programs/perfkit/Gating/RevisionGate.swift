internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Measures scenarios of the checkout against another revision, in pairs, and judges them.
struct RevisionGate {
  /// How they are measured.
  let measuring: Measuring
  /// How pairs are made.
  let pairing: PairingOptions
  /// Both revisions, built.
  let sides: RevisionSides
  /// Where the pages of what was decided lie.
  let pages: LedgerFolder

  /// What a reader must know of both sides; nil for nothing.
  ///
  /// A gate on the target branch itself compares a commit with itself.
  var note: String? {
    let (base, candidate) = (sides.base.revision, sides.candidate.revision)
    let none = "there is no change to compare, and only the budgets say something."
    if base.commit == candidate.commit {
      return "Both sides are commit \(base.commit.prefix(10)): " + none
    }
    guard isUnchanged else { return nil }
    return "\(base.title) and \(candidate.title) have the same files: " + none
  }

  /// Whether both sides have the same files.
  private var isUnchanged: Bool {
    sides.base.revision.tree == sides.candidate.revision.tree
  }

  /// A scenario with its variant, and what it is compared with.
  private struct Item {
    let name: String
    let variant: String?
    /// Whether nobody asked for it: only that it moved, or that nobody knows, says something.
    let isControl: Bool
    /// Nil for a scenario that the base lacks.
    let sides: PairedMeasuring.Sides?

    var subject: String { variant.map { "\(name):\($0)" } ?? name }
  }

  /// Measures and judges.
  ///
  /// A scenario that cannot be measured is a result of its own; the others go on. What is left of
  /// `--max-time` is dealt out evenly over the scenarios that are left.
  ///
  /// - Parameters:
  ///   - names: The scenarios.
  ///   - variants: Variants by name; none are each scenario's default.
  ///   - store: Where runs and comparisons are kept.
  /// - Returns: One result for each scenario and variant, up to the user's stop.
  func judge(_ names: [String], variants: [String], into store: RunStore) -> [GateResult] {
    var failures: [GateResult] = []
    var items: [Item] = []
    func add(_ name: String, _ variant: String?, isControl: Bool) {
      do {
        items.append(try item(name, variant, isControl: isControl))
      } catch is CancellationError {
        // What the user stopped is no result.
      } catch {
        failures.append(.failed(variant.map { "\(name):\($0)" } ?? name, error))
      }
    }
    for name in names {
      for variant in Measuring.variants(named: variants) {
        add(name, variant, isControl: false)
      }
    }
    var controls = ControlScenarios.none
    do {
      controls = try ControlScenarios(of: items.map(\.name), in: sides)
    } catch {
      // A control that is not there must not be passed over.
      failures.append(.failed("controls", error, isOfScenario: false))
    }
    for name in controls.additional { add(name, nil, isControl: true) }
    let gatingCount = items.reduce(0) { $0 + ($1.sides?.gating.count ?? 0) }
    do {
      try pairing.check(gatingCount: gatingCount)
    } catch {
      return failures + [.failed("gate", error, isOfScenario: false)]
    }
    let outcomes = measure(items, gatingCount: gatingCount, store)
    do {
      return try results(outcomes, controls, store) + failures
    } catch {
      return failures + [.failed("controls", error, isOfScenario: false)]
    }
  }

  /// What came of an item before it is judged.
  private enum Outcome {
    case compared(Item, ControlScenarios.Compared)
    case judged(GateResult)
  }

  /// Measures all items, up to the user's stop.
  private func measure(
    _ items: [Item], gatingCount: Int, _ store: RunStore
  ) -> [Outcome] {
    var outcomes: [Outcome] = []
    for (index, item) in items.enumerated() {
      guard !measuring.context.cancellation.isRequested() else { break }
      let share = TimeShare(of: measuring, among: items.count - index)
      do {
        if let pair = item.sides {
          if pair.isUnreached {
            measuring.global.say(
              "\(item.subject): both revisions run the same program, so it is a control",
              measuring.context)
          }
          let paired = try measure(pair, gatingCount: gatingCount, share: share, store)
          outcomes.append(.compared(item, .init(sides: pair, paired: paired)))
        } else {
          outcomes.append(.judged(try judgeNew(item, store)))
        }
      } catch is CancellationError {
        break
      } catch {
        outcomes.append(.judged(.failed(item.subject, error)))
      }
    }
    return outcomes
  }

  /// Judges what was measured, the controls first.
  private func results(
    _ outcomes: [Outcome], _ controls: ControlScenarios, _ store: RunStore
  ) throws -> [GateResult] {
    let compared = outcomes.compactMap { outcome in
      if case .compared(_, let compared) = outcome { compared } else { nil }
    }
    var judged = try controls.judge(compared, in: store)[...]
    return outcomes.compactMap { outcome -> GateResult? in
      switch outcome {
      case .judged(let result): return result
      case .compared(let item, _):
        guard let paired = judged.popFirst()?.paired else { return nil }
        do {
          return try judge(paired, item, store)
        } catch {
          return .failed(item.subject, error)
        }
      }
    }
  }

  private func item(_ name: String, _ variant: String?, isControl: Bool) throws -> Item {
    try sides.checkKnown(name)
    guard try !sides.isNew(name) else {
      return Item(name: name, variant: variant, isControl: isControl, sides: nil)
    }
    return Item(
      name: name, variant: variant, isControl: isControl,
      sides: try sides.sides(of: name, variant: variant, measuring: measuring))
  }

  private func measure(
    _ pair: PairedMeasuring.Sides, gatingCount: Int, share: TimeShare, _ store: RunStore
  ) throws -> PairedComparison {
    try pairing.measuring(measuring, within: share)
      .measure(pair, gatingCount: gatingCount, into: store)
  }

  private func judge(
    _ compared: PairedComparison, _ item: Item, _ store: RunStore
  ) throws -> GateResult {
    let run = compared.candidate
    let summary = RunSummary(run, in: store)
    guard !summary.saysNothing else {
      return GateResult(
        subject: run.subject, summary: summary, comparison: nil, note: "no launch completed",
        status: .failed)
    }
    let loss = summary.loss(of: "candidate")
    let notes = ["comparison \(compared.stored.id)", loss].compactMap(\.self)
    let gating = GatingMetrics.names(
      compared.stored.design.policy, budgets: run.budgets, definitions: run.definitions)
    if item.isControl {
      let status = compared.statusAsControl
      let finding =
        switch status {
        case .void: ", moved"
        case .inconclusive: ", not measured as planned"
        default: ""
        }
      return GateResult(
        subject: run.subject, summary: nil,
        comparison: GateComparison(compared.comparison, gating: gating),
        note: (["control\(finding)"] + notes).joined(separator: "; "), status: status,
        isControl: true, loss: loss)
    }
    let comparison = GateComparison(
      compared.comparison, gating: gating,
      ledger: try Ledger.decisions(in: store, and: pages).map(asOfBase))
    // A gate that has nothing to check must not be green.
    let isVain = isUnchanged && run.budgets.isEmpty
    let vain = isVain ? ["it has no budgets, and there is no change to compare"] : []
    return GateResult(
      subject: run.subject, summary: summary, comparison: comparison,
      note: (vain + notes + comparison.notes).joined(separator: "; "),
      // Launches that did not complete leave it open where there are no budgets as well.
      status: .worst(
        [ExitStatus(comparison.rest.verdict), ExitStatus(summary.verdict)]
          + (isVain ? [.inconclusive] : [])),
      loss: loss)
  }

  /// Returns a decision as it stands on the base.
  ///
  /// A base that has moved on since lacks the change still if it lacks the decision's page, which is
  /// committed with the change, also where branches are squashed.
  private func asOfBase(_ decision: Decision) -> Decision {
    let (base, candidate) = (sides.base.revision, sides.candidate.revision)
    guard let before = decision.base.commit, before != base.commit else { return decision }
    let page = pages.path + "/" + DecisionPage(decision).name
    let checkout = sides.checkout
    guard checkout.isAncestor(before, of: base.commit),
      checkout.hasFile(page, in: candidate.head), !checkout.hasFile(page, in: base.commit)
    else { return decision }
    return decision.moved(to: base.commit)
  }

  /// What the base lacks is judged by its budgets alone.
  private func judgeNew(_ item: Item, _ store: RunStore) throws -> GateResult {
    let subject = try sides.subject(of: item.name, in: sides.candidate, measuring: measuring)
    let run = try measuring.measure(subject, variant: item.variant, into: store)
    let summary = RunSummary(run, in: store)
    let note = "new: \(sides.base.revision.title) has no such scenario, so only budgets are judged"
    guard !summary.saysNothing else {
      let reason = summary.nothing(isStopped: measuring.context.cancellation.isRequested())
      return GateResult(
        subject: run.subject, summary: summary, comparison: nil, note: "\(note); \(reason)",
        status: .failed)
    }
    let loss = summary.loss()
    return GateResult(
      subject: run.subject, summary: summary, comparison: nil,
      note: [note, loss].compactMap(\.self).joined(separator: "; "),
      status: summary.budgets.isEmpty ? .inconclusive : ExitStatus(summary.verdict), loss: loss)
  }
}
