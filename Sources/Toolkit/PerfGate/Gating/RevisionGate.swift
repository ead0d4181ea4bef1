internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// Measures scenarios of the work tree against another revision, in pairs, and judges them.
struct RevisionGate {
  let measuring: Measuring
  let pairing: PairingSettings
  private(set) var revisions: BuiltRevisions
  let pages: LedgerFolder
  /// The project file of the target branch if the candidate's names the base; nil otherwise.
  let upstream: ProjectFile?
  /// The revision that the user named as the base; nil for the project's base.
  private let against: String?
  /// The shard to measure; nil for the whole gate.
  var choice: ShardChoice?
  /// The scenarios of all shards; nil for a whole gate, and before they are known.
  private(set) var split: [[String]]?
  /// The base's scenarios that have another name in the candidate, by the new name.
  private(set) var renamed: [String: String] = [:]

  init(
    measuring: Measuring, pairing: PairingSettings, revisions: BuiltRevisions,
    pages: LedgerFolder, upstream: ProjectFile?, against: String?
  ) {
    (self.measuring, self.pairing, self.revisions) = (measuring, pairing, revisions)
    (self.pages, self.upstream, self.against) = (pages, upstream, against)
  }

  /// A remark that both sides are the same, as in a gate on the target branch; nil otherwise.
  var note: String? {
    let (base, candidate) = (revisions.base.revision, revisions.candidate.revision)
    let none = "there is no change to compare, and only the budgets count."
    if base.commit == candidate.commit {
      return "Both sides are commit \(base.commit.prefix(10)): " + none
    }
    guard isUnchanged else { return nil }
    return "\(base.title) and \(candidate.title) have the same files: " + none
  }

  /// Whether both revisions have the same files.
  var isUnchanged: Bool {
    revisions.base.revision.tree == revisions.candidate.revision.tree
  }

  /// An item after its launches.
  enum Measured {
    case compared(Item, ControlScenarios.ComparedSides)
    case judged(GateResult)
  }

  /// Measures and judges scenarios.
  ///
  /// A scenario that cannot be measured is a failed result. The rest of `--max-time` is divided evenly
  /// among the scenarios that are left.
  ///
  /// - Parameters:
  ///   - names: The scenarios.
  ///   - isWhole: Whether these are all scenarios of the gate, not the user's choice.
  ///   - variants: The variants of each scenario; empty for the default variant.
  ///   - store: Receives runs and comparisons.
  /// - Returns: The changes of the rules, and one result for each scenario and variant, up to the
  ///   user's stop.
  mutating func judge(
    _ names: [String], isWhole: Bool, variants: [String], into store: RunStore
  ) -> [GateResult] {
    let ledger: [Decision]
    do {
      ledger = try Ledger.decisions(in: store, and: pages).map(asOfBase)
    } catch {
      return [.failed("gate", error, isOfScenario: false)]
    }
    let (names, changes) = guardRules(of: names, isWhole: isWhole, ledger)
    guard let choice else {
      let planned = plan(names, variants: variants)
      return changes.map(\.result) + judge(planned, planned, ledger, store) + planned.failures
    }
    let split = choice.split(names)
    self.split = split
    let own = split[choice.shard.number - 1]
    let reported = changes.filter { GatePart.reports($0.subject, choice.shard, split) }
      .map(\.result)
    guard !own.isEmpty else { return reported }
    // The metrics of all shards share the error of the gate.
    let whole = plan(split.flatMap(\.self), variants: variants)
    let planned = plan(own, variants: variants, known: whole.items)
    return reported + judge(planned, whole, ledger, store) + planned.failures
  }

  /// Applies the base's files where the candidate loosens or changes them without a decision.
  ///
  /// - Returns: The scenarios to judge, and the changes of the rules.
  private mutating func guardRules(
    of names: [String], isWhole: Bool, _ ledger: [Decision]
  ) -> ([String], [GateChange]) {
    let (base, commit) = (revisions.base, revisions.base.revision.commit)
    let place = revisions.project.place
    let before = GateRules(tree: base.tree, place: place, folder: revisions.baseFolder)
    let after = GateRules(
      tree: revisions.candidate.tree, place: place, folder: revisions.folder)
    let changes = before.changes(to: after, of: isWhole ? nil : names, upstream: upstream)
      .map { $0.decided(by: ledger, base: commit, named: against) }
    renamed = before.renamed(in: after)
    let accepted = Set(changes.filter { $0.decision != nil && $0.kind == .loosened }.map(\.subject))
    let refused = changes.filter { $0.decision == nil && [.loosened, .changed].contains($0.kind) }
    for name in Set(refused.map(\.subject)) {
      revisions.guarded[name] = try? before.files[name]?.get()
    }
    if !accepted.contains(ProjectFile.name), let project = before.project {
      revisions.controls.removeAll { !project.controls.contains($0) }
    }
    func current(_ names: [String]) -> [String] {
      names.map { old in renamed.first { $0.value == old }?.key ?? old }
    }
    var judged = current(names)
    judged.removeAll { name in changes.contains { $0.kind == .removed && $0.subject == name } }
    // A scenario that perfkit.yml no longer names is judged until that is accepted.
    let dropped = current(isWhole ? before.gated : []).filter { name in
      after.files[name] != nil && !judged.contains(name) && !accepted.contains(name)
    }
    return (judged + dropped, changes)
  }

  /// Measures and judges the benchmarks of suites.
  ///
  /// - Parameters:
  ///   - suites: The benchmarks of both revisions.
  ///   - store: Receives runs and comparisons.
  /// - Returns: A result for each benchmark that the candidate lacks, for each common one up to the user's
  ///   stop, and for each new one.
  func judge(_ suites: Suites.Sides, into store: RunStore) -> [GateResult] {
    let ledger: [Decision]
    do {
      ledger = try Ledger.decisions(in: store, and: pages).map(asOfBase)
    } catch {
      return [.failed("gate", error, isOfScenario: false)]
    }
    let base = revisions.base.revision
    let removed = suites.changes.map {
      $0.decided(by: ledger, base: base.commit, named: against).result
    }
    let added = suites.added.map { title in
      GateResult(
        subject: title, summary: nil, comparison: nil, note: "new: \(base.title) lacks it",
        status: .done)
    }
    let items = suites.common.map { sides in
      Item(name: sides.scenario.name, variant: nil, isControl: false, sides: sides)
    }
    let plan = Plan(items: items)
    return removed + judge(plan, plan, ledger, store) + added
  }

  /// Measures and judges a plan.
  ///
  /// - Parameters:
  ///   - plan: The scenarios to judge, and their controls.
  ///   - whole: The plan of all shards, whose gating metrics share the error.
  ///   - ledger: All decisions.
  ///   - store: Receives runs and comparisons.
  /// - Returns: The results, up to the user's stop.
  private func judge(
    _ plan: Plan, _ whole: Plan, _ ledger: [Decision], _ store: RunStore
  ) -> [GateResult] {
    let counts = GatingCounts(
      of: whole.measured(pairing).filter { !$0.isSameProgram }.compactMap(\.sides), pairing)
    do {
      try pairing.check(counts)
    } catch {
      return [.failed("gate", error, isOfScenario: false)]
    }
    let measured = measure(plan.measured(pairing), among: counts, store)
    do {
      return try results(measured, plan.controls, ledger, store)
    } catch {
      return [.failed("controls", error, isOfScenario: false)]
    }
  }

  /// Returns a decision as it applies to the base.
  ///
  /// If the base has advanced since the decision, but lacks the decision's page, it still lacks the
  /// change: the page is committed with the change, even if branches are squashed.
  private func asOfBase(_ decision: Decision) -> Decision {
    let (base, candidate) = (revisions.base.revision, revisions.candidate.revision)
    guard let before = decision.base.commit, before != base.commit else { return decision }
    let page = pages.path + "/" + DecisionPage(decision).name
    let checkout = revisions.checkout
    guard checkout.isAncestor(before, of: base.commit),
      checkout.hasFile(page, in: candidate.head), !checkout.hasFile(page, in: base.commit)
    else { return decision }
    return decision.moved(to: base.commit)
  }

  // MARK: - Measuring

  /// Measures all items, up to the user's stop.
  private func measure(
    _ items: [Item], among counts: GatingCounts, _ store: RunStore
  ) -> [Measured] {
    var measured: [Measured] = []
    for (index, item) in items.enumerated() {
      guard !measuring.workspace.isCancelled() else { break }
      let share = measuring.timeShare(among: items.count - index)
      do {
        if let sides = item.sides, item.isSameProgram {
          measured.append(.judged(try judgeSame(item, sides, store)))
        } else if let sides = item.sides {
          if sides.isUnreached {
            measuring.observe(
              .note("\(item.subject) is a control: both revisions run the same program"))
          }
          let paired = try measuring.measure(
            sides, pairing, among: counts, within: share, into: store)
          measured.append(.compared(item, (sides, paired)))
        } else {
          measured.append(.judged(try judgeNew(item, store)))
        }
      } catch is CancellationError {
        break
      } catch {
        measured.append(.judged(.failed(item.subject, error)))
      }
    }
    return measured
  }
}
