internal import PerfGate
internal import PerfRunner

/// Displays the events of measurements on a console.
final class MeasuringDisplay {
  private let console: Console
  private let isQuiet: Bool
  private let isVerbose: Bool
  private var run: RunDisplay?
  private var pairs: PairDisplay?

  init(_ global: GlobalOptions, _ context: Context) {
    console = context.console
    isQuiet = global.quiet
    isVerbose = global.verbose
  }

  func show(_ event: MeasuringEvent) {
    if case .status(let line) = event, !isQuiet || console.isInteractive {
      console.bar { line }
    }
    guard !isQuiet else { return }
    switch event {
    case .note(let line): console.error(line)
    case .status: break
    case .begin(let title, let runs, let timeLeft):
      run = RunDisplay(
        console: console, title: title, runs: runs, timeLeft: timeLeft, isVerbose: isVerbose)
      pairs = PairDisplay(console: console, title: title, isVerbose: isVerbose)
    case .turn(let title): run?.turn(to: title)
    case .run(let event): run?.show(event)
    case .side(let side, let event):
      switch event {
      case .setup, .analysing: run?.show(event)
      case .launching: break
      case .launched(let launch): pairs?.show(side, launch)
      }
    case .pair(let state): pairs?.show(state)
    case .pairsEnded: console.clearBar()
    }
  }
}
