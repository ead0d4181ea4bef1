internal import PerfModel
internal import PerfRunner
internal import PerfStore

/// The comparisons that show whether kept decisions still pay.
///
/// - *Alone*: HEAD against HEAD without the change of one decision; a decision between two variants
///   compares the same two again.
/// - *Together*: the revision before the first decision (the anchor) against HEAD; decisions between
///   variants compare the first base with the last candidate.
struct RevisitPlan {
  /// The comparisons; single decisions come first.
  let items: [RevisitItem]

  var possible: [RevisitItem] { items.filter { $0.obstacle == nil } }

  /// Whether revisions are measured, not only variants.
  var hasRevisions: Bool {
    items.contains { if case .revisions = $0.sides { true } else { false } }
  }

  /// Plans the comparisons, without building or measuring.
  ///
  /// - Parameters:
  ///   - decisions: The ledger.
  ///   - number: The number of the only decision to measure; nil for all.
  ///   - anchor: The name of the anchor; nil for the base of the first decision.
  ///   - checkout: The repository; nil if there is none.
  ///   - store: The store with the earlier comparisons.
  /// - Throws: `RevisionError` for an unknown anchor, or `Failure` if no decision is kept.
  init(
    _ decisions: [Decision], only number: Int?, anchor: String?, checkout: GitCheckout?,
    store: RunStore
  ) throws {
    // Decisions on the gate's rules have no launches.
    let kept = decisions.standing.filter {
      (number == nil || $0.number == number) && !$0.isOfRules
    }
    guard !kept.isEmpty else {
      throw Failure(
        number.map {
          "there is no kept decision \($0), or a later one replaces it. "
            + "'perfkit list decisions' lists all."
        }
          ?? "there is no kept decision to revisit. Keep one with 'perfkit decide ID --keep "
          + "--because TEXT'.")
    }
    let head = try? checkout?.revision("HEAD")
    let pinned = try anchor.map { name -> GitCheckout.Revision in
      guard let checkout else {
        throw Failure("--anchor needs a git checkout, and the current folder is in none.")
      }
      return try checkout.revision(name)
    }
    let alone = kept.map { decision in
      RevisitItem(
        kind: .alone, scenario: decision.scenario, decisions: [decision],
        sides: Self.alone(decision, head, checkout, store))
    }
    let together = Self.groups(kept).compactMap { group in
      Self.together(group, pinned, head, checkout, alone: alone)
    }
    items = (alone + together).map { item in
      var item = item
      let measured = item.decisions.compactMap { try? store.comparison(id: $0.comparison) }
      item.timePerPair = measured.compactMap { LaunchTimes(in: store).timePerPair(of: $0) }.max()
      return item
    }
  }

  /// Returns the groups of decisions that can be measured together.
  ///
  /// A group has one scenario and one variant, or one scenario and comparisons between its variants.
  private static func groups(_ decisions: [Decision]) -> [[Decision]] {
    Dictionary(grouping: decisions) { decision in
      [decision.scenario, decision.isOfVariants ? "" : decision.candidate.variant]
    }.values.sorted { $0[0].number < $1[0].number }
  }

  // MARK: - Sides

  private static func alone(
    _ decision: Decision, _ head: GitCheckout.Revision?, _ checkout: GitCheckout?,
    _ store: RunStore
  ) -> RevisitItem.Sides {
    guard !decision.isOfVariants else {
      return .variants(base: decision.base.variant, candidate: decision.candidate.variant)
    }
    guard let checkout, let head else { return .impossible("the current folder is in no checkout") }
    do {
      guard let base = decision.base.commit, let commit = decision.candidate.commit else {
        return .impossible("its runs have no commit")
      }
      let before = try checkout.revision(base)
      let after =
        base == commit
        ? try committed(decision, after: before, upTo: head, checkout, store)
        : try checkout.revision(commit)
      guard let after else {
        return .impossible(
          "it was measured before it was committed, and no later commit has the same content")
      }
      let reverted = try checkout.revision(head, withoutChangeFrom: before, to: after)
      return .revisions(base: reverted, candidate: head, variant: decision.candidate.variant)
    } catch {
      return .impossible("\(error)")
    }
  }

  /// Returns the commit of changes that were measured uncommitted; nil if no commit has their content.
  private static func committed(
    _ decision: Decision, after before: GitCheckout.Revision, upTo head: GitCheckout.Revision,
    _ checkout: GitCheckout, _ store: RunStore
  ) throws -> GitCheckout.Revision? {
    let run = try? store.run(id: decision.candidate.run, including: [])
    guard let tree = run?.environment[.tree] else { return nil }
    return try checkout.commit(withContent: tree, after: before, upTo: head)
  }

  private static func together(
    _ group: [Decision], _ pinned: GitCheckout.Revision?, _ head: GitCheckout.Revision?,
    _ checkout: GitCheckout?, alone: [RevisitItem]
  ) -> RevisitItem? {
    func item(_ sides: RevisitItem.Sides) -> RevisitItem {
      RevisitItem(kind: .together, scenario: group[0].scenario, decisions: group, sides: sides)
    }
    let (first, last) = (group[0], group[group.count - 1])
    guard !first.isOfVariants else {
      // A single decision repeats the comparison alone; a change and its reversal cancel out.
      guard group.count > 1, first.base.variant != last.candidate.variant else { return nil }
      return item(.variants(base: first.base.variant, candidate: last.candidate.variant))
    }
    guard let checkout, let head else { return nil }
    do {
      guard let anchor = try pinned ?? first.base.commit.map({ try checkout.revision($0) }) else {
        return nil
      }
      guard anchor.tree != head.tree else {
        return item(.impossible("HEAD has the same content as the anchor, \(anchor.title)"))
      }
      // With a single decision and no other change, HEAD without the change is the anchor.
      let isKnown = alone.contains { other in
        guard group.count == 1, other.decisions == group,
          case .revisions(let base, _, _) = other.sides
        else { return false }
        return base.tree == anchor.tree
      }
      guard !isKnown else { return nil }
      return item(
        .revisions(base: anchor, candidate: head, variant: first.candidate.variant))
    } catch {
      return item(.impossible("the anchor cannot be resolved: \(error)"))
    }
  }
}

extension Decision {
  /// Whether two variants of one build were compared.
  var isOfVariants: Bool { base.variant != candidate.variant }
}
