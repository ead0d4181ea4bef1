internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Flings through the library, from its first book to its last and back.
struct Scroll: Workload {
  static let name = "book.scroll"
  static let summary = "Flings through the library, down and up again, drawing every frame."
  static let parameters =
    DatasetRequest.parameters(books: 1_000) + [
      .int("columns", default: 3, in: 1...5, "Books in a row."),
      .double("refresh", default: 120, in: 1...1_000, "Refresh rate of the display, in hertz."),
      .double("fling", default: 12_000, in: 100...100_000, "Peak speed, in points a second."),
      .double("reach", default: 1, in: 0.01...1, "How far into the list a fling goes."),
      .double("rest", default: 0, in: 0...60, "Seconds that the list rests after a fling."),
      .string(
        "clock", default: "paced", choices: ["paced", "unpaced"],
        "Whether frames wait for their refresh."),
      .bool("monitor", default: false, "Whether the app watches its frames and its memory."),
      .int(
        "device_bytes", default: 1_400_000_000, in: 1...Int.max, "What it compares memory with."),
      .bool("logger", default: false, "Whether the app logs what takes how long."),
    ] + ScrollOptions.parameters
  static let counters =
    CacheCounters.declarations + [
      CounterDeclaration(
        "cells.placeholders", unit: .ratio, direction: .lower,
        "Cells drawn without their cover, of all that were drawn."),
      CounterDeclaration(
        "cells.colourless", unit: .ratio, direction: .lower,
        "Cells drawn without the colours of their cover, of all that were drawn."),
    ] + AppMonitor.counters + PerformanceLog.counters

  private let clock: FrameClock
  private let fling: Fling
  private let rest: Double
  private var shelf: ScrollingShelf
  private var monitor: AppMonitor?

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = try BookDataset(context)
    shelf = try ScrollingShelf(
      books: try dataset.allBooks(), columns: try parameters.int("columns"), source: dataset.covers,
      folder: context.scratchDirectory, options: try ScrollOptions(parameters))
    clock = FrameClock(
      refresh: try parameters.double("refresh"), paced: try parameters.string("clock") == "paced")
    fling = Fling(
      distance: shelf.farthestOffset * (try parameters.double("reach")),
      peak: try parameters.double("fling"))
    rest = try parameters.double("rest")
    if try parameters.bool("monitor") {
      monitor = AppMonitor(
        covers: shelf.covers, deviceBytes: try parameters.int("device_bytes"))
    }
    if try parameters.bool("logger") {
      shelf.log = try PerformanceLog(path: "\(context.scratchDirectory)/performance.log")
    }
  }

  mutating func measure(_ context: MeasurementContext) throws {
    // A library that fits the screen is looked at for a moment.
    let duration = Duration.seconds(max(fling.seconds + rest, 0.1))
    try clock.animate("fling.down", for: duration) { frame in
      try draw(at: fling.position(at: frame.seconds), isForward: true, frame)
    }
    monitor?.pause()
    try clock.animate("fling.up", for: duration) { frame in
      try draw(
        at: fling.distance - fling.position(at: frame.seconds), isForward: false, frame)
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

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try BookDataset(context).setUp(context)
  }
}

extension BookDataset {
  /// Makes the data set with an indexed library, and names all its covers as its files.
  func setUp(_ context: SetupContext) throws -> SetupResult {
    let count = try prepare(schemas: [.indexed], report: DatasetReport(context))
    let covers = try allBooks().compactMap(\.cover).map { "\(coversFolder)/\($0)" }
    return SetupResult(files: covers, notes: ["dataset": name, "books": "\(count)"])
  }

  /// Returns all books, in the order of display.
  func allBooks() throws -> [BookRow] {
    let library = try openLibrary(.optimised)
    let books = try library.page(offset: 0, limit: request.books)
    try library.close()
    return books
  }
}
