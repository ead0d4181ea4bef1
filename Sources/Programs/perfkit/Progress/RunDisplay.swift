internal import PerfModel
internal import PerfRunner

/// Displays the progress of a run: a bar with the remaining time on a terminal, else lines.
struct RunDisplay {
  let console: Console
  let title: String
  /// Whether a line is written for each launch on a terminal too.
  let isVerbose: Bool
  var began = ContinuousClock.now
  var setupBegan: ContinuousClock.Instant?
  var setupLabel = ""

  mutating func show(_ event: RunEvent) {
    switch event {
    case .setup(let label, let done, let total): setup(label, done, total)
    case .launching(let index, let total, let isWarmup):
      if index == 0 { began = .now }
      launching(index, total, isWarmup)
    case .launched(let launch): launched(launch)
    case .analysing: console.bar("\(title): unwinding and symbolicating samples")
    }
  }

  private mutating func setup(_ label: String, _ done: Int, _ total: Int) {
    let start = setupBegan ?? .now
    setupBegan = start
    if label != setupLabel {
      setupLabel = label
      if !console.isInteractive { console.error("\(title): preparing \(label) (\(total))") }
    }
    let left = remaining(since: start, done: done, total: total)
    console.bar("\(title): preparing \(label) \(bar(done, total)) \(done)/\(total)\(left)")
  }

  private func launching(_ index: Int, _ total: Int, _ isWarmup: Bool) {
    let kind = isWarmup ? "warm-up" : "launch"
    let left = remaining(since: began, done: index, total: total)
    console.bar("\(title): \(bar(index, total)) \(kind) \(index + 1) of \(total)\(left)")
  }

  private func launched(_ launch: Launch) {
    guard isVerbose || !console.isInteractive || launch.status != .completed else { return }
    let wall = launch.metrics[MetricName.wall].map { " in \(NumberFormat.human($0, .time))" } ?? ""
    let kind = launch.isWarmup ? "warm-up" : "launch"
    console.error("\(title): \(kind) \(launch.index + 1) \(launch.status)\(wall)")
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
