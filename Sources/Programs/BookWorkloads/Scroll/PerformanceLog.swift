internal import Foundation
internal import PerfWorkload

/// The event log of the SwiftWing case study: a line with a duration for each event.
///
/// Use it on one thread. Each line goes to a file immediately, as it went to the console there.
final class PerformanceLog {
  /// The category of a line.
  enum Category: String {
    case rendering = "Library Rendering"
    case scroll = "Scroll Performance"
    case loading = "Image Loading"
    case cache = "Cache Efficiency"

    /// The limits of green and yellow events, in milliseconds.
    fileprivate var limits: (green: Double, yellow: Double) {
      switch self {
      case .rendering: (100, 200)
      case .scroll: (1_000.0 / 55, 1_000.0 / 30)
      case .loading: (16, 500)
      case .cache: (1, 16)
      }
    }
  }

  static let counters: [CounterDeclaration] = [
    .count("logger.events", .neutral, "Lines in the app's log."),
    .time(
      "logger.event_time", .lower, scale: .ratio, "Mean time to write a line of the app's log."),
  ]

  private let file: FileHandle
  private var eventCount = 0
  private var time = Duration.zero

  init(path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw DatasetError.cache(path: path, reason: "the file cannot be created")
    }
    file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  /// Writes a line; if the disk is full, the line is lost.
  func write(_ category: Category, _ what: String, took elapsed: Duration) {
    let began = ContinuousClock.now
    let milliseconds = Double(elapsed.nanoseconds) / 1e6
    let limits = category.limits
    let colour =
      milliseconds <= limits.green ? "green" : milliseconds <= limits.yellow ? "yellow" : "red"
    let text = String(format: "%.2f", milliseconds)
    try? file.write(contentsOf: Data("\(colour) [\(category.rawValue)] \(what): \(text)ms\n".utf8))
    eventCount += 1
    time += ContinuousClock.now - began
  }

  func report(to context: MeasurementContext) {
    context.report("logger.events", eventCount)
    guard eventCount > 0 else { return }
    context.report("logger.event_time", Double(time.nanoseconds) / Double(eventCount))
  }
}
