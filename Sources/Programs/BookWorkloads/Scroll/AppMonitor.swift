internal import CoverCache
internal import PerfWorkload

/// The self-monitoring of the app in the Epilogue case study: frames, memory, CPU.
///
/// A frame that begins more than 10 ms after the previous one counts as dropped. Every two seconds
/// the monitor compares the memory with the device's limit and frees covers at four levels.
struct AppMonitor {
  static let counters: [CounterDeclaration] = [
    .count(
      "monitor.drops", .lower,
      "Frames that the app's monitor counted as dropped, including late wake-ups."),
    .count("monitor.polls", .neutral, "Times that the app's monitor read its memory use."),
    .time("monitor.time", .lower, "Time that the app's monitor used on the frame thread."),
  ]

  private static let longestFrame = Duration.milliseconds(10)
  private static let pollInterval = Duration.seconds(2)

  private let covers: CoverCache
  private let deviceBytes: Int
  private var lastFrame: ContinuousClock.Instant?
  private var nextPoll = ContinuousClock.now + Self.pollInterval
  private var time = Duration.zero
  private var dropCount = 0
  private var pollCount = 0

  init(covers: CoverCache, deviceBytes: Int) {
    self.covers = covers
    self.deviceBytes = deviceBytes
  }

  /// Records the beginning of a frame, and returns the frame rate for a badge after a dropped frame.
  mutating func frameBegins() throws -> Int? {
    let now = ContinuousClock.now
    var rate: Int?
    if let lastFrame {
      let elapsed = now - lastFrame
      if elapsed > Self.longestFrame { dropCount += 1 }
      if dropCount > 0 { rate = 1_000_000_000 / max(1, elapsed.nanoseconds) }
    }
    lastFrame = now
    if now >= nextPoll {
      nextPoll = now + Self.pollInterval
      pollCount += 1
      let ratio = Double(try ProcessMemory.now().resident) / Double(deviceBytes)
      covers.reduce(under: MemoryPressure(useRatio: ratio))
    }
    time += ContinuousClock.now - now
    return rate
  }

  /// Records a pause, so that the next frame does not count as late.
  mutating func pause() { lastFrame = nil }

  func report(to context: MeasurementContext) {
    context.report("monitor.drops", dropCount)
    context.report("monitor.polls", pollCount)
    context.report("monitor.time", time.nanoseconds)
  }
}
