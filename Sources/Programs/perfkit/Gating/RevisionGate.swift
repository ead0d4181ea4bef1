internal import PerfModel
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

  /// A scenario with its variant, and what it is compared with.
  private struct Item {
    let name: String
    let variant: String?
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
    for name in names {
      for variant in variants.isEmpty ? [nil] : variants.map(Optional.some) {
        do {
          items.append(try item(name, variant))
        } catch {
          failures.append(.failed(variant.map { "\(name):\($0)" } ?? name, error))
        }
      }
    }
    let gatingCount = items.reduce(0) { $0 + ($1.sides?.gating.count ?? 0) }
    var results: [GateResult] = []
    for (index, item) in items.enumerated() {
      guard !measuring.context.cancellation.isRequested() else { break }
      let share = TimeShare(of: measuring, among: items.count - index)
      do {
        results.append(
          try item.sides.map {
            try judge($0, item, gatingCount: gatingCount, share: share, store)
          } ?? judgeNew(item, store))
      } catch is CancellationError {
        break
      } catch {
        results.append(.failed(item.subject, error))
      }
    }
    return results + failures
  }

  private func item(_ name: String, _ variant: String?) throws -> Item {
    let known = try sides.names()
    guard known.contains(name) else {
      throw ScenarioError.unknownScenario(name, folder: sides.project.scenarios, known: known)
    }
    guard try !sides.isNew(name) else { return Item(name: name, variant: variant, sides: nil) }
    return Item(
      name: name, variant: variant,
      sides: try sides.sides(of: name, variant: variant, measuring: measuring))
  }

  private func judge(
    _ pair: PairedMeasuring.Sides, _ item: Item, gatingCount: Int, share: TimeShare,
    _ store: RunStore
  ) throws -> GateResult {
    let paired = PairedMeasuring(
      measuring: measuring, maxPairs: pairing.maxPairs,
      allowsDifferentEnvironments: pairing.allowDifferentEnvironments,
      isOutOfTime: share.isOver)
    let compared = try paired.measure(pair, gatingCount: gatingCount, into: store)
    guard let run = compared.legs.last?.candidate else { throw CancellationError() }
    let summary = RunSummary(run)
    guard !summary.saysNothing else {
      return GateResult(
        subject: run.subject, summary: summary, comparison: nil, note: "no launch completed",
        status: .failed)
    }
    let accepted = try accepted(in: compared.comparison, store)
    var statuses = [
      ExitStatus(
        accepted.isEmpty ? compared.comparison.verdict : compared.verdict(without: accepted))
    ]
    if !summary.budgets.isEmpty { statuses.append(ExitStatus(summary.verdict)) }
    let notes = accepted.sorted { $0.key < $1.key }.map { "; \($0) accepted by decision \($1)" }
    return GateResult(
      subject: run.subject, summary: summary, comparison: compared.comparison,
      note: "comparison \(compared.stored.id)" + notes.joined(), status: .worst(statuses))
  }

  /// The metrics that regressed and whose regression the ledger accepts, with the decisions' numbers.
  private func accepted(in comparison: Comparison, _ store: RunStore) throws -> [String: Int] {
    guard comparison.verdict == .regressed else { return [:] }
    let decisions = try store.decisions()
    var accepted: [String: Int] = [:]
    for metric in comparison.metrics where metric.isGating && metric.verdict == .regressed {
      accepted[metric.definition.name] =
        decisions.last { $0.accepts(metric, of: comparison) }?.number
    }
    return accepted
  }

  /// What the base lacks is judged by its budgets alone.
  private func judgeNew(_ item: Item, _ store: RunStore) throws -> GateResult {
    let subject = try sides.subject(of: item.name, in: sides.candidate, measuring: measuring)
    let run = try measuring.measure(subject, variant: item.variant, into: store)
    let summary = RunSummary(run)
    let note = "new: \(sides.base.revision.title) has no such scenario, so only budgets are judged"
    guard !summary.saysNothing else {
      return GateResult(
        subject: run.subject, summary: summary, comparison: nil,
        note: note + "; no launch completed", status: .failed)
    }
    return GateResult(
      subject: run.subject, summary: summary, comparison: nil, note: note,
      status: summary.budgets.isEmpty ? .inconclusive : ExitStatus(summary.verdict))
  }
}

/// The part of `--max-time` that one of several scenarios may take.
private struct TimeShare {
  private let deadline: ContinuousClock.Instant?

  init(of measuring: Measuring, among count: Int) {
    deadline = measuring.timeLeft.map { .now + $0 / max(count, 1) }
  }

  /// Whether it is spent.
  var isOver: @Sendable () -> Bool {
    let deadline = deadline
    return { deadline.map { ContinuousClock.now > $0 } ?? false }
  }
}

extension GateResult {
  /// What cannot be measured.
  static func failed(_ subject: String, _ error: any Error) -> GateResult {
    let failure = Failure(error)
    return GateResult(
      subject: subject, summary: nil, comparison: nil, note: failure.message,
      status: failure.status)
  }
}
