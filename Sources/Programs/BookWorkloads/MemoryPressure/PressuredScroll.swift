internal import CoverCache
internal import PerfWorkload

/// Scrolls up and down while the harness makes memory short.
struct PressuredScroll: Workload {
  static let name = "book.pressure"
  static let summary = "Scrolls through the library while memory becomes short."
  static let parameters =
    DatasetRequest.parameters(books: 1_000) + [
      .int("columns", default: 3, in: 1...5, "Books in a row."),
      .double("refresh", default: 120, in: 1...1_000, "Refresh rate of the display, in hertz."),
      .double("fling", default: 4_000, in: 100...100_000, "Peak speed, in points a second."),
      .double("seconds", default: 12, in: 0.1...600, "How long the reader scrolls."),
      .choice("handler", default: PressureStrategy.levels, "What is done when memory is short."),
    ] + ScrollOptions.parameters
  static let counters = CacheCounters.declarations + PressureResponse.counters

  /// Seconds from one book whose page is opened to the next.
  private static let pageInterval = 0.2

  private let clock: FrameClock
  private let fling: Fling
  private let seconds: Double
  private let handler: PressureStrategy
  private var shelf: ScrollingShelf

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = try BookDataset(context)
    shelf = try ScrollingShelf(
      books: try dataset.allBooks(), columns: try parameters.int("columns"), source: dataset.covers,
      folder: context.scratchDirectory, options: try ScrollOptions(parameters))
    clock = FrameClock(refresh: try parameters.double("refresh"), paced: true)
    fling = Fling(distance: shelf.farthestOffset, peak: try parameters.double("fling"))
    seconds = try parameters.double("seconds")
    handler = try parameters.choice("handler")
  }

  mutating func measure(_ context: MeasurementContext) throws {
    let response = PressureResponse(covers: shelf.covers, strategy: handler)
    context.onPressure { level, fraction in response.take(level, use: fraction) }
    var pages = 0.0
    clock.animate("scroll", for: .seconds(seconds)) { frame in
      let isForward = Int(frame.seconds / max(fling.seconds, 1)).isMultiple(of: 2)
      let position = fling.position(
        at: frame.seconds.truncatingRemainder(dividingBy: max(fling.seconds, 1)))
      shelf.draw(at: isForward ? position : fling.distance - position, isForward: isForward)
      if frame.seconds >= pages * Self.pageInterval {
        shelf.openPage()
        pages += 1
      }
      response.watch()
    }
    response.report(to: context)
    CacheCounters.report(shelf.covers, to: context)
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try BookDataset(context).setUp(context)
  }
}
