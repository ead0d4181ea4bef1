internal import CoverCache
internal import PerfWorkload

/// The self-monitoring of the app in the Epilogue case study: frames, memory, CPU.
///
/// A frame that begins more than 10 ms after the previous one counts as dropped. Every two seconds
/// the monitor compares the memory with the device's limit and frees covers at four levels.
struct AppMonitor {
  static let counters = [
    CounterDeclaration(
      "monitor.drops", unit: .count, direction: .lower,
      "Frames that the app's monitor counted as dropped, including late wake-ups."),
    CounterDeclaration(
      "monitor.polls", unit: .count, direction: .neutral,
      "Times that the app's monitor read its memory use."),
    CounterDeclaration(
      "monitor.time", unit: .nanoseconds, direction: .lower,
      "Time that the app's monitor used on the frame thread."),
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
  ///   - covers: The cache that frees memory.
  ///   - deviceBytes: The memory limit of the device.
  init(covers: CoverCache, deviceBytes: Int) {
    self.covers = covers
    self.deviceBytes = deviceBytes
  }

  /// Records the beginning of a frame.
  ///
  /// - Returns: The frame rate in frames per second for a badge, after a dropped frame.
  /// - Throws: The error of reading the memory use of this process.
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

  /// Reports the counters.
  func report(to context: MeasurementContext) {
    context.report("monitor.drops", dropCount)
    context.report("monitor.polls", pollCount)
    context.report("monitor.time", time.nanoseconds)
  }
}
