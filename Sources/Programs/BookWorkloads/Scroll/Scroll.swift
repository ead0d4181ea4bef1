internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Flings through the library from its first book to its last and back.
struct Scroll: LibraryWorkload {
  static let name = "book.scroll"
  static let summary = "Flings through the library, down and up again, and draws every frame."
  static let fling = Parameter(
    "fling", default: 12_000.0, in: 100...100_000, "Peak speed, in points per second.")
  static let reach = Parameter(
    "reach", default: 1.0, in: 0.01...1, "Fraction of the list that a fling covers.")
  static let rest = Parameter("rest", default: 0.0, in: 0...60, "Seconds of rest after a fling.")
  static let monitor = Parameter(
    "monitor", default: false, "Whether the app monitors its frames and its memory.")
  static let deviceBytes = Parameter(
    "device_bytes", default: 1_400_000_000, in: 1...Int.max,
    "Memory limit of the monitor, in bytes.")
  static let logger = Parameter(
    "logger", default: false, "Whether the app logs the durations of events.")
  static let parameters: [any WorkloadParameter] =
    DatasetRequest.parameters(books: 1_000) + [
      columns, refresh, fling, reach, rest, clock, monitor, deviceBytes, logger,
    ] + ScrollOptions.parameters
  static let counters: [CounterDeclaration] =
    CacheCounters.declarations + [
      .ratio("cells.placeholders", .lower, "Share of the drawn cells without their cover."),
      .ratio(
        "cells.colourless", .lower, "Share of the drawn cells without the colours of their cover."),
    ] + AppMonitor.counters + PerformanceLog.counters

  private let clock: FrameClock
  private let fling: Fling
  private let rest: Double
  private var shelf: ScrollingShelf
  private var monitor: AppMonitor?

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = BookDataset(context)
    shelf = try ScrollingShelf(
      books: try dataset.allBooks(), columns: parameters[Self.columns], source: dataset.covers,
      folder: context.scratchDirectory, options: ScrollOptions(parameters))
    clock = FrameClock(refresh: parameters[Self.refresh], paced: parameters[Self.clock] == .paced)
    fling = Fling(
      distance: shelf.farthestOffset * parameters[Self.reach],
      peak: parameters[Self.fling])
    rest = parameters[Self.rest]
    if parameters[Self.monitor] {
      monitor = AppMonitor(covers: shelf.covers, deviceBytes: parameters[Self.deviceBytes])
    }
    if parameters[Self.logger] {
      shelf.log = try PerformanceLog(path: "\(context.scratchDirectory)/performance.log")
    }
  }

  mutating func measure(_ context: MeasurementContext) throws {
    // A library that fits on the screen is displayed for a moment.
    let duration = Duration.seconds(max(fling.seconds + rest, 0.1))
    try clock.animate("fling.down", for: duration) { frame in
      try draw(at: fling.position(at: frame.seconds), isForward: true, frame)
    }
    monitor?.pause()
    try clock.animate("fling.up", for: duration) { frame in
      try draw(at: fling.distance - fling.position(at: frame.seconds), isForward: false, frame)
    }
    CacheCounters.report(shelf.covers, to: context)
    context.report("cells.placeholders", shelf.placeholderShare)
    context.report("cells.colourless", shelf.colourlessShare)
    monitor?.report(to: context)
    shelf.log?.report(to: context)
  }

  private mutating func draw(at offset: Double, isForward: Bool, _ frame: Frame) throws {
    let badge = try monitor?.frameBegins()
    let began = ContinuousClock.now
    shelf.draw(at: offset, isForward: isForward, time: frame.time)
    if let badge { shelf.paintBadge(badge) }
    guard let log = shelf.log else { return }
    log.write(
      frame.index == 0 ? .rendering : .scroll, "Frame \(frame.index)",
      took: ContinuousClock.now - began)
  }
}

extension BookDataset {
  /// Creates the data set with an indexed library, and returns its covers as the files of the run.
  func setUp(_ context: SetupContext) throws -> SetupResult {
    let count = try prepare(schemas: [.indexed], report: DatasetReport(context))
    let covers = try allBooks().compactMap(\.cover).map { "\(coversFolder)/\($0)" }
    return SetupResult(files: covers, notes: ["dataset": name, "books": "\(count)"])
  }

  /// Returns all books in display order.
  func allBooks() throws -> [BookRow] {
    let library = try openLibrary(.optimised)
    let books = try library.page(offset: 0, limit: request.books)
    try library.close()
    return books
  }
}
