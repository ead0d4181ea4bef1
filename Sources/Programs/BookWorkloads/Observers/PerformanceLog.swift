internal import Foundation
internal import PerfWorkload

/// A log of what takes how long, as the SwiftWing case study wrote it: a line for each event.
///
/// One thread writes; lines go to a file as they come, as they went to the console there.
final class PerformanceLog {
  /// What a line is about.
  enum Category: String {
    case rendering = "Library Rendering"
    case scroll = "Scroll Performance"
    case loading = "Image Loading"
    case cache = "Cache Efficiency"

    /// Up to which time an event is green, and up to which it is yellow, in milliseconds.
    fileprivate var limits: (green: Double, yellow: Double) {
      switch self {
      case .rendering: (100, 200)
      case .scroll: (1_000.0 / 55, 1_000.0 / 30)
      case .loading: (16, 500)
      case .cache: (1, 16)
      }
    }
  }

  static let counters = [
    CounterDeclaration(
      "logger.events", unit: .count, direction: .neutral, "Lines that the app's own log wrote."),
    CounterDeclaration(
      "logger.event_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Mean time of a line of the app's own log."),
  ]

  private let file: FileHandle
  private var eventCount = 0
  private var time = Duration.zero

  /// Opens a log, empty.
  ///
  /// - Parameter path: Its file.
  /// - Throws: What the file system said.
  init(path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw DatasetError.cache(path: path, reason: "it cannot be made")
    }
    file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  /// Writes that something took some time; a full disk loses lines and nothing else.
  func write(_ category: Category, _ what: String, took elapsed: Duration) {
    let began = ContinuousClock.now
    let milliseconds = Double(elapsed.nanoseconds) / 1e6
    let limits = category.limits
    let colour =
      milliseconds <= limits.green ? "green" : milliseconds <= limits.yellow ? "yellow" : "red"
    let text = String(format: "%.2f", milliseconds)
    try? file.write(
      contentsOf: Data("\(colour) [\(category.rawValue)] \(what): \(text)ms\n".utf8))
    eventCount += 1
    time += ContinuousClock.now - began
  }

  /// Reports how much was written, and what a line cost.
  func report(to context: MeasurementContext) {
    context.report("logger.events", eventCount)
    guard eventCount > 0 else { return }
    context.report("logger.event_time", Double(time.nanoseconds) / Double(eventCount))
  }
}
