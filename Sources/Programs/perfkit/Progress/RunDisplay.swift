internal import PerfModel
internal import PerfRunner

/// Displays the progress of a run: a bar with the remaining time.
struct RunDisplay {
  let console: Console
  let title: String
  /// Whether a line is written for each launch.
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
    case .analysing: analysing()
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
    let line = "\(title): preparing \(label) \(bar(done, total)) \(done)/\(total)"
    console.bar { line + left.words }
  }

  private func analysing() {
    let line = "\(title): unwinding and symbolicating samples"
    console.bar { line }
  }

  private func launching(_ index: Int, _ total: Int, _ isWarmup: Bool) {
    let kind = isWarmup ? "warm-up" : "launch"
    let left = remaining(since: began, done: index, total: total)
    let line = "\(title): \(bar(index, total)) \(kind) \(index + 1) of \(total)"
    console.bar { line + left.words }
  }

  private func launched(_ launch: Launch) {
    guard isVerbose || launch.status != .completed else { return }
    let wall = launch.metrics[MetricName.wall].map { " in \(NumberFormat.human($0, .time))" } ?? ""
    let kind = launch.isWarmup ? "warm-up" : "launch"
    // The number is that of the reports and of `--launch`.
    console.error("\(title): \(kind) \(launch.index) \(launch.status)\(wall)")
  }

  private func bar(_ done: Int, _ total: Int) -> String {
    let width = 20
    let filled = total > 0 ? min(width, done * width / total) : 0
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: ".", count: width - filled) + "]"
  }

  private func remaining(
    since start: ContinuousClock.Instant, done: Int, total: Int
  ) -> TimeLeft {
    guard done > 0, total > done else { return TimeLeft(nil) }
    return TimeLeft(start.duration(to: .now) / done * (total - done))
  }
}

/// The time until something ends, as forecast at its creation.
struct TimeLeft {
  private let end: ContinuousClock.Instant?
  private let prefix: String

  /// Creates the time left; nil if it is unknown.
  init(_ duration: Duration?, prefix: String = "") {
    end = duration.map { .now + $0 }
    self.prefix = prefix
  }

  /// The time left in words after a comma, such as `, 26 s left`; empty if it is unknown.
  var words: String {
    guard let end else { return "" }
    let seconds = max(ContinuousClock.now.duration(to: end).components.seconds, 0) + 1
    return ", \(prefix)"
      + (seconds < 120 ? "\(seconds) s left" : "\((seconds + 59) / 60) min left")
  }
}
