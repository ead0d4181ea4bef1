internal import Foundation
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfStatistics
public import PerfStore

extension Measuring {
  /// Measures a comparison in pairs until all gating metrics are decided, or continues a stopped one.
  ///
  /// - Parameters:
  ///   - sides: The sides to compare.
  ///   - settings: The choices of how pairs are made.
  ///   - counts: The gating metrics of the whole invocation; nil for those of this comparison.
  ///   - share: The time that the comparison may take; nil for all the time that is left.
  ///   - store: Receives both runs and the comparison, launch by launch.
  /// - Returns: The comparison with all its pairs so far.
  /// - Throws: `RunnerError`, `StoreError`, `StatisticsError`, `Failure` if there is no pair, or
  ///   `CancellationError` if it was stopped before the first pair.
  public func measure(
    _ sides: PairedSides, _ settings: PairingSettings, among counts: GatingCounts? = nil,
    within share: Duration? = nil, into store: RunStore
  ) throws -> PairedComparison {
    try measure(
      sides, settings, among: counts, within: share, into: store,
      by: { try count($0, $1, $2, $3, simulating: settings.simulates) })
  }

  /// Measures a comparison whose work is counted by a function.
  func measure(
    _ sides: PairedSides, _ settings: PairingSettings, among counts: GatingCounts? = nil,
    within share: Duration? = nil, into store: RunStore, by count: CountLaunches
  ) throws -> PairedComparison {
    let counts = counts ?? GatingCounts(of: [sides], settings)
    if settings.layouts != nil {
      guard sides.layouts != nil else { throw PairingSettings.noLinks }
      try settings.check(counts)
    }
    let size = try calibratedSize(
      of: sides.candidate.runnable, and: sides.base.runnable, store: store)
    let drafts = (
      base: try draft(sides.base.runnable, variant: sides.base.variant, size: size, store: store),
      candidate: try draft(
        sides.candidate.runnable, variant: sides.candidate.variant, size: size, store: store)
    )
    var limit = PairLimit(settings, self, share: share)
    observe(.begin(title: drafts.candidate.plan.title))
    let new = StoredComparison(
      id: "c" + drafts.candidate.id.dropFirst(),
      subject: self.settings.redaction(Self.pairSubject(drafts.base, drafts.candidate)),
      started: drafts.candidate.started,
      design: ComparisonDesign(
        seed: self.settings.seed, gatingCount: counts.gatingCount, maxPairs: limit.mostPairs,
        policy: sides.gate,
        allowsDifferentEnvironments: settings.allowsDifferentEnvironments,
        controls: sides.controls,
        conditions: self.settings.redaction(
          ComparisonContinuation.conditions(
            drafts.base, drafts.candidate, gating: sides.gating)), hunks: sides.hunks,
        layouts: sides.layouts,
        counting: sides.countsWork(settings) ? sides.counting(gatingCount: counts.counted) : nil,
        sharesErrorWithWork: counts.isShared ? true : nil))
    let continuation = try ComparisonContinuation(
      of: new, in: drafts.candidate.environment, store: store)
    if let obstacle = continuation.obstacle { note(obstacle) }
    // Unfinished runs would exclude the comparison from exports, imports and hubs.
    if let stopped = continuation.stored {
      try store.interruptRuns(of: stopped) {
        ScratchFolder.clear(drafts.candidate.scratchDirectory(of: $0))
      }
    }
    var stored = continuation.stored ?? new
    stored.design.movedControls = nil
    stored.design.unknownControls = nil
    if let counting = stored.design.counting, counting.legs.isEmpty, counting.obstacle == nil {
      stored.design.counting = try counted(counting, sides, into: store, by: count)
    }
    let isDecidedByWork = try stored.design.counting?.decidesAlone(in: store) ?? false
    // One pair shows the time for information.
    if isDecidedByWork { limit.mostPairs = settings.minPairs }
    stored.design.maxPairs = limit.mostPairs
    // A comparison that was stopped before its first pair cannot be judged yet.
    let before = stored.legs.isEmpty ? nil : try? PairedComparison(stored, store: store)
    if let before {
      let made = Wording.count(before.pairs.count, "pair")
      if before.isDecided && before.pairs.count >= settings.minPairs
        || before.pairs.count >= limit.mostPairs
      {
        let more = before.isDecided ? "" : "; increase --max-pairs to continue it"
        note("comparison \(stored.id) already has \(made)\(more)")
        stored.isFinished = before.isAtEnd
        try store.save(stored)
        return try PairedComparison(stored, store: store)
      }
      note("continuing comparison \(stored.id) after \(made)")
    }
    let leg = try PairedLeg(
      drafts: drafts, sides: sides, before: before, stored: stored,
      minPairs: settings.minPairs, measuring: self, limit: limit
    ).run(into: store)
    guard var leg else {
      if let before { return before }
      throw CancellationError()
    }
    if isDecidedByWork, !leg.isFinished {
      leg.isFinished = true
      try store.save(leg)
    }
    return try PairedComparison(leg, store: store)
  }

  private func note(_ line: String) { observe(.note(line)) }

  /// Returns a description of both sides, by which the same command finds its unfinished comparison.
  private static func pairSubject(_ base: RunDraft, _ candidate: RunDraft) -> String {
    func side(_ draft: RunDraft) -> String {
      let parameters = draft.plan.parameters.sorted { $0.key < $1.key }
        .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      let dirty = draft.environment[.dirty] == "true" ? " with changes" : ""
      return "\(draft.plan.scenario.name):\(draft.plan.variant) at "
        + "\(draft.environment[.commit] ?? "no commit")\(dirty), \(parameters), "
        + draft.plan.program.joined(separator: " ")
    }
    return "\(side(base)) to \(side(candidate)), seed \(candidate.plan.seed)"
  }
}
