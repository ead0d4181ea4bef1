internal import PerfModel
internal import PerfRunner

/// Shows how far a run is: a bar with the time left for a person, plain lines for a log.
final class Progress {
  private let console: Console
  private let title: String
  private let isQuiet: Bool
  private let isVerbose: Bool
  private var began = ContinuousClock.now
  private var setupBegan: ContinuousClock.Instant?
  private var setupLabel = ""

  /// Creates a display; a verbose one keeps a line of each launch on a terminal too.
  init(console: Console, title: String, isQuiet: Bool, isVerbose: Bool) {
    self.console = console
    self.title = title
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
  }

  /// Shows what happens.
  func show(_ event: RunEvent) {
    guard !isQuiet else { return }
    switch event {
    case .setup(let label, let done, let total): setup(label, done, total)
    case .launching(let index, let total, let isWarmup):
      if index == 0 { began = .now }
      launching(index, total, isWarmup)
    case .launched(let launch): launched(launch)
    case .analysing: console.bar("\(title): unwinding and naming the samples")
    }
  }

  private func setup(_ label: String, _ done: Int, _ total: Int) {
    let start = setupBegan ?? .now
    setupBegan = start
    if label != setupLabel {
      setupLabel = label
      if !console.isInteractive { console.error("\(title): making \(label) (\(total))") }
    }
    let left = remaining(since: start, done: done, total: total)
    console.bar("\(title): making \(label) \(bar(done, total)) \(done)/\(total)\(left)")
  }

  private func launching(_ index: Int, _ total: Int, _ isWarmup: Bool) {
    let what = isWarmup ? "warm-up" : "launch"
    let left = remaining(since: began, done: index, total: total)
    console.bar("\(title): \(bar(index, total)) \(what) \(index + 1) of \(total)\(left)")
  }

  private func launched(_ launch: Launch) {
    guard isVerbose || !console.isInteractive || launch.status != .completed else { return }
    let wall = launch.metrics[MetricName.wall].map { " in \(NumberFormat.human($0, .time))" } ?? ""
    let what = launch.isWarmup ? "warm-up" : "launch"
    console.error("\(title): \(what) \(launch.index + 1) \(launch.status)\(wall)")
  }

  private func bar(_ done: Int, _ total: Int) -> String {
    let width = 20
    let filled = total > 0 ? min(width, done * width / total) : 0
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: ".", count: width - filled) + "]"
  }

  private func remaining(
    since start: ContinuousClock.Instant, done: Int, total: Int
  ) -> String {
    guard done > 0, total > done else { return "" }
    let elapsed = start.duration(to: .now)
    let left = elapsed / done * (total - done)
    return ", \(left.components.seconds + 1) s left"
  }
}
