internal import CoverCache
internal import PerfWorkload

/// Scrolls up and down while the harness simulates memory pressure.
struct PressuredScroll: LibraryWorkload {
  static let name = "book.pressure"
  static let summary = "Scrolls through the library under memory pressure."
  static let seconds = Parameter(
    "seconds", default: 12.0, in: 0.1...600, "Duration of the scroll, in seconds.")
  static let handler = Parameter(
    "handler", default: PressureStrategy.levels, "Response to memory pressure.")
  static let parameters: [any WorkloadParameter] =
    DatasetRequest.parameters(books: 1_000) + [columns, refresh, fling, seconds, handler]
    + ScrollOptions.parameters
  static let counters = CacheCounters.declarations + PressureResponse.counters

  /// The seconds between two opened pages.
  private static let pageInterval = 0.2

  private let clock: FrameClock
  private let fling: Fling
  private let seconds: Double
  private let handler: PressureStrategy
  private var shelf: ScrollingShelf

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = BookDataset(context)
    shelf = try ScrollingShelf(
      books: try dataset.allBooks(), columns: parameters[Self.columns], source: dataset.covers,
      folder: context.scratchDirectory, options: ScrollOptions(parameters))
    clock = FrameClock(refresh: parameters[Self.refresh], paced: true)
    fling = Fling(distance: shelf.farthestOffset, peak: parameters[Self.fling])
    seconds = parameters[Self.seconds]
    handler = parameters[Self.handler]
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
}
