internal import CoverCache
internal import PerfWorkload

/// What the app watches of itself, as the Epilogue case study wrote it: frames, memory, CPU.
///
/// Each frame is timed, and one that comes more than 10 ms after the one before counts as dropped.
/// Every two seconds memory is compared with what the device lets the app have, and covers are given
/// back by the four levels.
struct AppMonitor {
  static let counters = [
    CounterDeclaration(
      "monitor.drops", unit: .count, direction: .lower,
      "Frames that the app's own monitor took for dropped: it counts late wake-ups, too."),
    CounterDeclaration(
      "monitor.polls", unit: .count, direction: .neutral,
      "How often the app's own monitor looked at its memory."),
    CounterDeclaration(
      "monitor.time", unit: .nanoseconds, direction: .lower,
      "Time that the app's own monitor took of the frame thread."),
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

  /// Creates a monitor.
  ///
  /// - Parameters:
  ///   - covers: What gives memory back.
  ///   - deviceBytes: What the device lets the app have.
  init(covers: CoverCache, deviceBytes: Int) {
    self.covers = covers
    self.deviceBytes = deviceBytes
  }

  /// Takes note of a frame that begins.
  ///
  /// - Returns: The frame rate in whole frames a second, for a badge, once a frame was dropped.
  /// - Throws: What the file system said of the process's own memory.
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

  /// Says that frames stop for a while: the next one does not come late.
  mutating func pause() { lastFrame = nil }

  /// Reports what was seen, and what it cost.
  func report(to context: MeasurementContext) {
    context.report("monitor.drops", dropCount)
    context.report("monitor.polls", pollCount)
    context.report("monitor.time", time.nanoseconds)
  }
}
