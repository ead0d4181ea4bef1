internal import PerfModel
internal import PerfRunner
internal import PerfStatistics

/// Shows how far a comparison is: a bar for a person, a line at each look for a log.
final class PairProgress {
  private let context: Context
  private let global: GlobalOptions
  private let title: String
  private let minPairs: Int
  private let maxPairs: Int
  private let setup: Progress
  private var hasPlan = false
  private var lastLook = 0

  /// Creates a display.
  init(context: Context, global: GlobalOptions, title: String, minPairs: Int, maxPairs: Int) {
    self.context = context
    self.global = global
    self.title = title
    self.minPairs = minPairs
    self.maxPairs = maxPairs
    setup = Progress(
      console: context.console, title: title, isQuiet: global.quiet, isVerbose: global.verbose)
  }

  /// Shows what happens to a side.
  func show(_ side: PairRunner.Side, _ event: RunEvent) {
    switch event {
    case .setup, .analysing: setup.show(event)
    case .launching: break
    case .launched(let launch):
      guard launch.status != .completed || global.verbose else { return }
      let name = side == .base ? "base" : "candidate"
      global.say("\(title): \(name), launch \(launch.index + 1) \(launch.status)", context)
    }
  }

  /// Shows what is known after a pair.
  func show(_ judge: SequentialJudge, _ now: PairRunner.Progress) {
    let gating = judge.judgements.filter(\.isGating)
    let decided = gating.count { $0.verdict != nil }
    if now.pairs > 0, !hasPlan { sayPlan(judge, now) }
    guard !global.quiet else { return }
    if context.console.isInteractive {
      let next = judge.nextLook.map { ", next look after \($0)" } ?? ""
      let time = NumberFormat.human(
        Double(now.timePerPair) * Double(maxPairs - judge.pairs), .time)
      context.console.bar(
        "\(title): \(judge.pairs) of at most \(maxPairs) pairs, \(decided) of \(gating.count) "
          + "metrics decided\(next), at most \(time) left")
    } else if gating.contains(where: { $0.decidedAt == judge.pairs }) || judge.isDecided {
      guard judge.pairs > lastLook else { return }
      lastLook = judge.pairs
      context.console.error(
        "\(title): \(judge.pairs) pairs, \(decided) of \(gating.count) metrics decided")
    }
  }

  /// Ends the bar.
  func end() { context.console.clearBar() }

  /// Says how long it can take, as soon as one pair has shown it.
  private func sayPlan(_ judge: SequentialJudge, _ now: PairRunner.Progress) {
    hasPlan = true
    func time(_ pairs: Int) -> String {
      NumberFormat.human(Double(now.timePerPair) * Double(pairs), .time)
    }
    // Those of earlier sessions take no time any more.
    let earlier = judge.pairs - now.pairs
    let first = max(judge.nextLook ?? judge.pairs, minPairs)
    global.say(
      "\(title): a pair is \(now.launchesPerPair) + \(now.launchesPerPair) launches and takes "
        + "\(time(1)); ended after \(time(first - earlier)) at the earliest, "
        + "\(time(maxPairs - earlier)) at the latest", context)
  }
}
