internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Measures two sides in pairs into the store, until all that gates is decided.
struct PairedMeasuring {
  /// One of the two, ready to be measured.
  struct Side {
    /// The scenario with its program.
    let subject: Measuring.Subject
    /// The variant; nil for the default one.
    let variant: String?

    /// It in words.
    var title: String {
      let name = variant ?? subject.checked.scenario.defaultVariant
      return subject.build.map { "\($0.revision.title), \(name)" } ?? name
    }
  }

  /// Two sides of one scenario.
  struct Sides {
    /// What it was before.
    let base: Side
    /// What it is now; its scenario file counts for both.
    let candidate: Side

    /// What decides; nil for what the scenario says.
    var policy: Scenario.GatePolicy?
    /// Whether the change cannot reach the program, as `UnreachedProgram` says.
    var isUnreached = false

    /// The scenario.
    var scenario: Scenario { candidate.subject.checked.scenario }

    /// What decides.
    var gate: Scenario.GatePolicy { policy ?? scenario.gate }

    /// What the change cannot reach; nil for nothing.
    ///
    /// Another variant is another program, of which nobody said that.
    var controls: Scenario.Controls? {
      base.variant != candidate.variant || scenario.controls.isEmpty ? nil : scenario.controls
    }

    /// The names of the metrics that decide.
    var gating: [String] {
      let catalog = candidate.subject.checked.catalog
      return GatingMetrics.names(
        gate, budgets: scenario.budgets,
        definitions: catalog.names.compactMap { catalog[$0] })
    }
  }

  /// How launches are made, and into which store.
  let measuring: Measuring
  /// The least pairs, though every gating metric may have its verdict before.
  ///
  /// A verdict stays as it was reached; what further pairs are for is the profile.
  let minPairs: Int
  /// The most pairs.
  let maxPairs: Int
  /// Whether environments that differ are compared all the same.
  let allowsDifferentEnvironments: Bool
  /// Whether no further pair is to be begun.
  let isOutOfTime: @Sendable () -> Bool

  /// Measures, or goes on with what was stopped.
  ///
  /// - Parameters:
  ///   - sides: What is compared.
  ///   - gatingCount: How many metrics gate in the whole invocation.
  ///   - store: Where both runs and the comparison are kept, launch by launch.
  /// - Returns: The comparison as far as it came.
  /// - Throws: `RunnerError`, `StoreError`, `StatisticsError` or `Failure`.
  func measure(_ sides: Sides, gatingCount: Int, into store: RunStore) throws -> PairedComparison {
    let drafts = (
      base: try measuring.draft(sides.base.subject, variant: sides.base.variant, store: store),
      candidate: try measuring.draft(
        sides.candidate.subject, variant: sides.candidate.variant, store: store)
    )
    let new = StoredComparison(
      id: "c" + drafts.candidate.id.dropFirst(),
      subject: Self.subject(drafts.base, drafts.candidate), started: drafts.candidate.started,
      design: ComparisonDesign(
        seed: measuring.options.seed, gatingCount: gatingCount, maxPairs: maxPairs,
        policy: sides.gate, allowsDifferentEnvironments: allowsDifferentEnvironments,
        controls: sides.controls,
        conditions: Continuation.conditions(
          drafts.base, drafts.candidate, gating: sides.gating)))
    let continuation = try Continuation(
      of: new, in: drafts.candidate.environment, store: store)
    if let obstacle = continuation.obstacle { say(obstacle) }
    var stored = continuation.stored ?? new
    stored.design.movedControls = nil
    stored.design.unknownControls = nil
    stored.design.maxPairs = maxPairs
    // One that was stopped before its first pair has nothing to say yet.
    let before = stored.legs.isEmpty ? nil : try? PairedComparison(stored, store: store)
    if let before {
      let made = Wording.count(before.pairs.count, "pair")
      if before.isDecided && before.pairs.count >= minPairs || before.pairs.count >= maxPairs {
        let more = before.isDecided ? "" : "; a greater --max-pairs goes on with it"
        say("comparison \(stored.id) has its \(made) already\(more)")
        stored.isFinished = before.isAtEnd
        try store.save(stored)
        return try PairedComparison(stored, store: store)
      }
      say("going on with comparison \(stored.id) after \(made)")
    }
    let leg = try PairedLeg(
      drafts: drafts, sides: sides, before: before, stored: stored,
      minPairs: minPairs, measuring: measuring, isOutOfTime: isOutOfTime
    ).run(into: store)
    guard let leg else {
      if let before { return before }
      throw CancellationError()
    }
    return try PairedComparison(leg, store: store)
  }

  private func say(_ line: String) { measuring.global.say(line, measuring.context) }

  /// What is compared with what, so that the same command finds what it left unfinished.
  private static func subject(_ base: RunDraft, _ candidate: RunDraft) -> String {
    func side(_ draft: RunDraft) -> String {
      let parameters = draft.plan.parameters.sorted { $0.key < $1.key }
        .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      let dirty = draft.environment[.dirty] == "true" ? " with changes" : ""
      return "\(draft.plan.scenario.name):\(draft.plan.variant) at "
        + "\(draft.environment[.commit] ?? "no commit")\(dirty), \(parameters), "
        + draft.plan.program.joined(separator: " ")
    }
    return "\(side(base)) against \(side(candidate)), seed \(candidate.plan.seed)"
  }
}

/// Makes the pairs of one session.
struct PairedLeg {
  let drafts: (base: RunDraft, candidate: RunDraft)
  let sides: PairedMeasuring.Sides
  /// What earlier sessions left, or nil.
  let before: PairedComparison?
  let stored: StoredComparison
  /// The least pairs, those of earlier sessions among them.
  let minPairs: Int
  let measuring: Measuring
  let isOutOfTime: @Sendable () -> Bool

  /// Measures until everything is decided, spent or stopped.
  ///
  /// - Returns: The comparison with this leg in it; nil when not one pair was begun.
  func run(into store: RunStore) throws -> StoredComparison? {
    let base = try ScratchFolder(drafts.base.plan.scratchDirectory)
    defer { base.remove() }
    let candidate = try ScratchFolder(drafts.candidate.plan.scratchDirectory)
    defer { candidate.remove() }
    var state = State(stored: stored, known: before?.pairs ?? [])
    let progress = PairProgress(
      context: measuring.context, global: measuring.global,
      title: "\(sides.scenario.name):\(drafts.candidate.plan.variant)",
      minPairs: minPairs, maxPairs: stored.design.maxPairs)
    let symbols = PersistentSymbolCache(
      load: store.readSymbols(keys:visit:), change: store.changeSymbols(keys:change:))
    let outcome = try runner(state).run(
      symbols: symbols, symbolication: measuring.context.symbolication,
      observe: { side, event in
        progress.show(side, event)
        try keep(side, event, &state, store)
      },
      goesOn: { now in
        try goesOn(now, &state, progress, store)
      })
    guard let outcome, state.hasBegun else { return nil }
    try store.finish(drafts.base.run(outcome.base))
    try store.finish(drafts.candidate.run(outcome.candidate))
    progress.end()
    // After fewer pairs than that, one with a greater --max-pairs goes on.
    state.stored.isFinished = state.hasEnough || state.pairs >= LookSchedule.lastLook
    try store.save(state.stored)
    return try store.comparison(id: state.stored.id)
  }

  /// What is known while pairs are made.
  private struct State {
    var stored: StoredComparison
    /// The pairs of all legs.
    var known: [LaunchPair]
    var judge: SequentialJudge?
    var hasBegun = false
    var begun: Set<PairRunner.Side> = []
    /// Whether all is decided after as many pairs as there are to be.
    var hasEnough = false

    var pairs: Int { known.count }
  }

  private func runner(_ state: State) -> PairRunner {
    let (earlier, design) = (state.pairs, state.stored.design)
    return PairRunner(
      base: scenarioRunner(drafts.base, sides.base),
      candidate: scenarioRunner(drafts.candidate, sides.candidate),
      plan: PairPlan(
        maxPairs: design.maxPairs - earlier,
        launchesPerPair: { slowest in
          design.launchesPerPair
            ?? BlockStatistic.launchesPerPair(forLaunchOf: slowest / 1e9)
        },
        order: { pair, launches in
          PairOrder(seed: design.seed).order(ofPair: earlier + pair, launches: launches)
            .map { $0 ? .candidate : .base }
        }),
      isCancelled: measuring.context.cancellation.isRequested)
  }

  private func scenarioRunner(
    _ draft: RunDraft, _ side: PairedMeasuring.Side
  ) -> ScenarioRunner {
    var plan = draft.plan
    plan.readsPace = true
    return ScenarioRunner(
      plan: plan, workload: side.subject.checked.workload,
      isCancelled: measuring.context.cancellation.isRequested)
  }

  /// Keeps each launch in its run; what cannot be set up is no run.
  private func keep(
    _ side: PairRunner.Side, _ event: RunEvent, _ state: inout State, _ store: RunStore
  ) throws {
    let draft = side == .base ? drafts.base : drafts.candidate
    switch event {
    case .launching:
      if state.begun.insert(side).inserted { try store.begin(draft.run(launches: [])) }
    case .launched(let launch): try store.append(launch, to: draft.id)
    default: break
    }
    guard state.begun.count == 2, !state.hasBegun else { return }
    state.hasBegun = true
    try store.save(state.stored)
    try store.append(
      StoredComparison.Leg(base: drafts.base.id, candidate: drafts.candidate.id),
      toComparison: state.stored.id)
  }

  /// Judges after each pair; whether another one is wanted.
  private func goesOn(
    _ now: PairRunner.Progress, _ state: inout State, _ progress: PairProgress, _ store: RunStore
  ) throws -> Bool {
    if state.judge == nil {
      state.stored.design.launchesPerPair = now.launchesPerPair
      try store.save(state.stored)
      let candidate = drafts.candidate.run(launches: now.candidate)
      var judge = try PairedComparison.comparer(state.stored.design).judge(
        candidate.definitions, budgets: candidate.budgets,
        launchesPerPair: now.launchesPerPair)
      for pair in state.known { judge.add(pair) }
      state.judge = judge
    }
    let (old, new) = (
      drafts.base.run(launches: now.base), drafts.candidate.run(launches: now.candidate)
    )
    if now.pairs > 0,
      let pair = LaunchPair.pairs(of: old, new, launches: now.launchesPerPair).last
    {
      state.known.append(pair)
      state.judge?.add(pair)
    }
    guard let judge = state.judge else { return true }
    state.hasEnough = judge.isDecided && judge.pairs >= minPairs
    progress.show(judge, now)
    // However little time there is, one pair is made: it says how long they take.
    return !state.hasEnough && (now.pairs == 0 || !isOutOfTime())
  }
}
