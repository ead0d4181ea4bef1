internal import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// Measures kept decisions again.
struct Revisiting {
  /// How they are measured.
  let measuring: Measuring
  /// How pairs are made.
  let pairing: PairingOptions

  /// Builds and measures what the plan says, one after the other.
  ///
  /// What cannot be built or measured is a result with its reason; the others go on.
  ///
  /// - Returns: One result for each comparison of the plan, up to the user's stop.
  /// - Throws: `Failure` when so few pairs as are allowed can decide nothing.
  func measure(_ plan: RevisitPlan, into store: RunStore) throws -> [RevisitResult] {
    let prepared = plan.items.map { item in (item, Result { try sides(of: item) }) }
    let ready = prepared.compactMap { try? $0.1.get() }
    let gatingCount = ready.reduce(0) { $0 + $1.gating.count }
    try pairing.check(gatingCount: gatingCount)
    var left = ready.count
    var results: [RevisitResult] = []
    for (item, outcome) in prepared {
      guard !measuring.context.cancellation.isRequested() else { break }
      do {
        let both = try outcome.get()
        defer { left -= 1 }
        guard !measuring.isOutOfTime() else { throw Failure("no time was left for it") }
        let share = TimeShare(of: measuring, among: left)
        let compared = try pairing.measuring(measuring, within: share)
          .measure(both, gatingCount: gatingCount, into: store)
        results.append(RevisitResult(item: item, compared: compared))
      } catch is CancellationError {
        break
      } catch {
        results.append(RevisitResult(item: item, reason: Failure(error).message))
      }
    }
    return results
  }

  private func sides(of item: RevisitItem) throws -> PairedMeasuring.Sides {
    switch item.sides {
    case .impossible(let reason): throw Failure(reason)
    case .variants(let base, let candidate):
      let subject = try measuring.subject(item.scenario)
      for variant in [base, candidate] { try measuring.check(subject, variant: variant) }
      return PairedMeasuring.Sides(
        base: .init(subject: subject, variant: base),
        candidate: .init(subject: subject, variant: candidate))
    case .revisions(let base, let candidate, let variant):
      let built = try RevisionSides(measuring: measuring) { _ in (base, candidate) }
      guard try built.names().contains(item.scenario) else {
        throw Failure("\(candidate.title) has no scenario '\(item.scenario)' any more")
      }
      guard try !built.isNew(item.scenario) else {
        throw Failure("\(base.title) has no scenario '\(item.scenario)'")
      }
      return try built.sides(of: item.scenario, variant: variant, measuring: measuring)
    }
  }
}
