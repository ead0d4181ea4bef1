internal import PerfModel
internal import PerfRunner

/// Displays the progress of a run, or of runs that take turns: a bar with the remaining time.
struct RunDisplay {
  let console: Console
  private(set) var title: String
  /// Whether a line is written for each launch.
  let isVerbose: Bool
  /// The number of runs that take turns.
  private let runs: Int
  /// The moment after which no launch starts; nil without a limit.
  private let limit: ContinuousClock.Instant?
  private var began: ContinuousClock.Instant?
  /// The number of launches of all runs that have ended.
  private var made = 0
  private var setupBegan: ContinuousClock.Instant?
  private var setupLabel = ""

  /// Creates a display.
  ///
  /// - Parameters:
  ///   - console: The console.
  ///   - title: The scenario and variant.
  ///   - runs: The number of runs that take turns.
  ///   - timeLeft: The time until no further launch starts; nil without a limit.
  ///   - isVerbose: Whether a line is written for each launch.
  init(console: Console, title: String, runs: Int, timeLeft: Duration?, isVerbose: Bool) {
    (self.console, self.title, self.runs, self.isVerbose) = (console, title, runs, isVerbose)
    limit = timeLeft.map { .now + $0 }
  }

  /// Displays the events of another run, whose launches have their turns in the same time.
  mutating func turn(to title: String) {
    (self.title, setupBegan, setupLabel) = (title, nil, "")
  }

  mutating func show(_ event: RunEvent) {
    switch event {
    case .setup(let label, let done, let total): setup(label, done, total)
    case .launching(let index, let total, let isWarmup):
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
    let left = TimeLeft(remaining(since: start, done: done, left: total - done))
    let line = "\(title): preparing \(label) \(bar(done, total)) \(done)/\(total)"
    console.bar { line + left.words }
  }

  private func analysing() {
    let line = "\(title): unwinding and symbolicating samples"
    console.bar { line }
  }

  private mutating func launching(_ index: Int, _ total: Int, _ isWarmup: Bool) {
    let began = began ?? .now
    self.began = began
    let kind = isWarmup ? "warm-up" : "launch"
    var time = remaining(since: began, done: made, left: runs * (total - index))
    if let limit { time = time.map { min($0, ContinuousClock.now.duration(to: limit)) } }
    let left = TimeLeft(time)
    let line = "\(title): \(bar(index, total)) \(kind) \(index + 1) of \(total)"
    console.bar { line + left.words }
  }

  private mutating func launched(_ launch: Launch) {
    made += 1
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
    since start: ContinuousClock.Instant, done: Int, left: Int
  ) -> Duration? {
    done > 0 && left > 0 ? start.duration(to: .now) / done * left : nil
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
