internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfStatistics

/// Displays the progress of a comparison: a bar on a terminal, else a line at each look.
struct PairDisplay {
  let console: Console
  let title: String
  /// Whether a line is written for each launch.
  let isVerbose: Bool
  private var hasPlan = false
  private var lastLook = 0
  private var isDecisionShown = false

  init(console: Console, title: String, isVerbose: Bool) {
    (self.console, self.title, self.isVerbose) = (console, title, isVerbose)
  }

  /// Displays a launch of a side, unless it completed.
  func show(_ side: PairRunner.Side, _ launch: Launch) {
    guard launch.status != .completed || isVerbose else { return }
    let name = side == .base ? "base" : "candidate"
    console.error("\(title): \(name), launch \(launch.index) \(launch.status)")
  }

  mutating func show(_ state: PairState) {
    let (judge, gating, decided) = (state.judge, state.gating, state.decided)
    if state.session.pairs > 0, !hasPlan { showPlan(state) }
    let metrics = "\(decided) of \(Wording.count(gating.count, "metric")) decided"
    let start = "\(title): \(judge.pairs) of at most \(state.maxPairs) pairs: \(metrics)"
    let left = TimeLeft(
      .nanoseconds(Int64(clamping: state.session.timePerPair)) * (state.maxPairs - judge.pairs),
      prefix: "at most ")
    console.bar { start + left.words }
    if !console.isInteractive,
      gating.contains(where: { $0.decidedAt == judge.pairs }) || judge.isDecided
    {
      // Pairs up to --min-pairs follow the decision.
      guard judge.pairs > lastLook, !isDecisionShown else { return }
      lastLook = judge.pairs
      isDecisionShown = judge.isDecided
      console.error("\(title): \(judge.pairs) pairs: \(metrics)")
    }
  }

  /// Writes the duration of a pair and of the comparison, known after the first pair.
  private mutating func showPlan(_ state: PairState) {
    hasPlan = true
    func time(_ pairs: Int) -> String {
      NumberFormat.human(Double(state.session.timePerPair) * Double(pairs), .time)
    }
    // The pairs of earlier sessions take no more time.
    let earlier = state.judge.pairs - state.session.pairs
    let first = state.judge.nextLook ?? state.judge.pairs
    let launches = state.session.launchesPerPair
    let (least, most) = (max(first, state.minPairs) - earlier, state.maxPairs - earlier)
    let range = least < most ? "\(time(least)) to \(time(most))" : "at most \(time(most))"
    let shortage =
      most < first - earlier && !state.countsWork
      ? ", which is too short for a verdict: the first one needs \(first) pairs. Increase --max-time or "
        + "--max-pairs" : ""
    console.error(
      "\(title): a pair has \(launches) + \(launches) launches and takes \(time(1)); the "
        + "comparison takes \(range)\(shortage)")
  }
}
