internal import PerfModel
internal import PerfRunner
internal import PerfStore

/// Which comparisons tell whether kept decisions still pay.
///
/// Alone: HEAD against HEAD with the change taken back; of variants the same two again. Together: the
/// revision before the first of them, the anchor, against HEAD; of variants the first one's base against
/// the last one's candidate.
struct RevisitPlan {
  /// The comparisons, those of single decisions first.
  let items: [RevisitItem]

  /// Plans, without building or measuring.
  ///
  /// - Parameters:
  ///   - decisions: The ledger.
  ///   - number: The only decision that is looked at; nil for all.
  ///   - anchor: A revision in place of the first one's base; nil for that.
  ///   - checkout: The repository; nil outside of one.
  ///   - store: Says how long pairs took.
  /// - Throws: `RevisionError` for an anchor that is not there, or `Failure` when nothing is kept.
  init(
    _ decisions: [Decision], only number: Int?, anchor: String?, checkout: GitCheckout?,
    store: RunStore
  ) throws {
    let kept = decisions.standing.filter { number == nil || $0.number == number }
    guard !kept.isEmpty else {
      throw Failure(
        number.map { "the ledger keeps no decision \($0)" + ": 'perfkit list decisions' lists." }
          ?? "there is nothing to revisit: the ledger keeps no decision yet. 'perfkit decide ID "
          + "--keep --because TEXT' writes one.")
    }
    let head = try? checkout?.revision("HEAD")
    let pinned = try anchor.map { name -> GitCheckout.Revision in
      guard let checkout else { throw Failure("--anchor names a revision: run it in a checkout.") }
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
      item.timePerPair = measured.compactMap { PairTimes(in: store).timePerPair(of: $0) }.max()
      return item
    }
  }

  /// Decisions that can be measured together: of one scenario, and of one variant or all of variants.
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
    guard let checkout, let head else { return .impossible("there is no git checkout here") }
    do {
      guard let base = decision.base.commit, let commit = decision.candidate.commit else {
        return .impossible("its runs name no commit")
      }
      let before = try checkout.revision(base)
      let after =
        base == commit
        ? try committed(decision, after: before, upTo: head, checkout, store)
        : try checkout.revision(commit)
      guard let after else {
        return .impossible(
          "it was measured before it was committed, and no commit since has its content")
      }
      let reverted = try checkout.revision(head, withoutChangeFrom: before, to: after)
      return .revisions(base: reverted, candidate: head, variant: decision.candidate.variant)
    } catch {
      return .impossible("\(error)")
    }
  }

  /// The commit that changes became which were measured in the checkout; nil when none has that content.
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
      // One alone is the same comparison again, and a change back and forth none at all.
      guard group.count > 1, first.base.variant != last.candidate.variant else { return nil }
      return item(.variants(base: first.base.variant, candidate: last.candidate.variant))
    }
    guard let checkout, let head else { return nil }
    do {
      guard let anchor = try pinned ?? first.base.commit.map({ try checkout.revision($0) }) else {
        return nil
      }
      guard anchor.tree != head.tree else {
        return item(.impossible("HEAD has the content of the anchor, \(anchor.title)"))
      }
      // One decision and nothing else since: taking it back leads to the anchor.
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
      return item(.impossible("the anchor cannot be had: \(error)"))
    }
  }
}

extension Decision {
  /// Whether two variants of one build were compared.
  var isOfVariants: Bool { base.variant != candidate.variant }
}
