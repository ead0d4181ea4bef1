internal import PerfModel
internal import PerfProfile
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Measures the pairs of one session of a comparison.
struct PairedLeg {
  let drafts: (base: RunDraft, candidate: RunDraft)
  let sides: PairedSides
  /// The comparison after earlier sessions, or nil.
  let before: PairedComparison?
  let stored: StoredComparison
  /// The least number of pairs, earlier sessions included.
  let minPairs: Int
  let measuring: Measuring
  let limit: PairLimit

  /// Measures until everything is decided, the limits are reached or the user stops.
  ///
  /// - Parameter store: Receives both runs and the comparison, launch by launch.
  /// - Returns: The comparison with this session; nil if no pair was begun.
  /// - Throws: `RunnerError`, `StoreError` or `StatisticsError`.
  func run(into store: RunStore) throws -> StoredComparison? {
    let base = try ScratchFolder(drafts.base.plan.scratchDirectory)
    defer { base.remove() }
    let candidate = try ScratchFolder(drafts.candidate.plan.scratchDirectory)
    defer { candidate.remove() }
    var state = State(stored: stored, known: before?.pairs ?? [])
    defer { if !state.hasBegun { removeRuns(state, store) } }
    let symbols = SymbolCache(
      load: store.readSymbols(keys:visit:), change: store.changeSymbols(keys:change:))
    let outcome = try runner(state).run(
      symbols: symbols, symbolication: measuring.workspace.symbolication,
      observe: { side, event in
        measuring.observe(.side(side, event))
        try keep(side, event, &state, store)
      },
      goesOn: { now in
        try needsPair(after: now, &state, store)
      })
    guard let outcome, state.hasBegun else { return nil }
    try store.finish(drafts.base.run(outcome.base))
    try store.finish(drafts.candidate.run(outcome.candidate))
    measuring.observe(.pairsEnded)
    // An undecided comparison continues when the command is repeated.
    state.stored.isFinished = state.hasEnough || state.pairs >= LookSchedule.mostPairs
    try store.save(state.stored)
    return try store.comparison(id: state.stored.id)
  }

  private struct State {
    var stored: StoredComparison
    var known: [LaunchPair]
    var judge: SequentialJudge?
    var work: WorkComparison?
    /// The sides whose runs are stored.
    var begun: Set<PairRunner.Side> = []
    /// The sides with a launch.
    var launched: Set<PairRunner.Side> = []
    /// Whether everything is decided after at least the least number of pairs.
    var hasEnough = false

    /// Whether both runs have a launch, so that the session is stored.
    var hasBegun: Bool { launched.count == 2 }

    var pairs: Int { known.count }
  }

  private func runner(_ state: State) -> PairRunner {
    let (earlier, design) = (state.pairs, state.stored.design)
    return PairRunner(
      base: scenarioRunner(drafts.base, sides.base),
      candidate: scenarioRunner(drafts.candidate, sides.candidate),
      maxPairs: design.maxPairs - earlier, warmup: measuring.settings.warmup ?? 0,
      firstPair: earlier,
      launchesPerPair: { slowest in
        design.launchesPerPair ?? BlockStatistic.launchesPerPair(forLaunchOf: slowest / 1e9)
      },
      order: { pair, launches in
        PairOrder(seed: design.seed).order(ofPair: earlier + pair, launches: launches)
          .map { $0 ? .candidate : .base }
      },
      isCancelled: measuring.workspace.isCancelled)
  }

  private func scenarioRunner(_ draft: RunDraft, _ side: PairedSides.Side) -> ScenarioRunner {
    var plan = draft.plan
    plan.readsPace = true
    return ScenarioRunner(
      plan: plan, workload: side.runnable.checked.workload,
      isCancelled: measuring.workspace.isCancelled)
  }

  /// Stores each launch in its run.
  ///
  /// The session is stored when both sides have a launch: a failed setup or `prepare` leaves no run.
  private func keep(
    _ side: PairRunner.Side, _ event: RunEvent, _ state: inout State, _ store: RunStore
  ) throws {
    let draft = draft(of: side)
    switch event {
    case .launching:
      if state.begun.insert(side).inserted { try store.begin(draft.run(launches: [])) }
    case .launched(let launch):
      try store.append(draft.redaction(launch), to: draft.id)
      guard state.launched.insert(side).inserted, state.hasBegun else { return }
      try store.save(state.stored)
      try store.append(
        StoredComparison.Leg(base: drafts.base.id, candidate: drafts.candidate.id),
        toComparison: state.stored.id)
    default: break
    }
  }

  private func draft(of side: PairRunner.Side) -> RunDraft {
    side == .base ? drafts.base : drafts.candidate
  }

  /// Removes the runs of a session without a launch of each side; they would be the latest runs.
  private func removeRuns(_ state: State, _ store: RunStore) {
    for side in state.begun { try? store.remove(run: draft(of: side).id) }
  }

  /// Judges the pairs so far, and returns whether another pair is needed.
  private func needsPair(
    after now: PairRunner.Progress, _ state: inout State, _ store: RunStore
  ) throws -> Bool {
    if state.judge == nil {
      state.stored.design.launchesPerPair = now.launchesPerPair
      try store.save(state.stored)
      let candidate = drafts.candidate.run(launches: now.candidate)
      // The limit of time includes the judging, and the other metrics decide nothing here.
      var judge = try PairedComparison.comparer(state.stored.design).judge(
        candidate.definitions, budgets: candidate.budgets,
        launchesPerPair: now.launchesPerPair
      ).ofGatingMetrics
      for pair in state.known { judge.add(pair) }
      state.judge = judge
      state.work = try state.stored.design.counting?.evidence(in: store).evidence?.comparison
    }
    // The last pair alone, as there may be thousands.
    let (old, new) = (
      drafts.base.run(launches: Array(now.base.suffix(now.launchesPerPair))),
      drafts.candidate.run(launches: Array(now.candidate.suffix(now.launchesPerPair)))
    )
    if now.pairs > 0,
      let pair = LaunchPair.pairs(of: old, new, launches: now.launchesPerPair).last
    {
      state.known.append(pair)
      state.judge?.add(pair)
    }
    guard let judge = state.judge else { return true }
    state.hasEnough = judge.isDecided && judge.pairs >= minPairs
    measuring.observe(
      .pair(
        PairState(
          judge: judge, session: now, minPairs: minPairs,
          maxPairs: judge.pairs
            + limit.pairsLeft(after: judge.pairs, timePerPair: now.timePerPair),
          countsWork: state.stored.design.counting != nil)))
    let isSettled =
      limit.isEndedByWork && judge.missing.isEmpty
      && judge.pairs >= max(minPairs, judge.schedule.looks[0].pairs)
      && state.work?.settles(judge.judgements.map(\.comparison)) == true
    // One pair is measured however little time is left: it shows how long a pair takes.
    return !state.hasEnough && !isSettled
      && (now.pairs == 0 || !limit.isOver(after: judge.pairs))
  }
}
