internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Scrolls while threads prepare photos for upload and a camera delivers frames.
struct BackgroundMix: Workload {
  static let name = "book.background"
  static let summary =
    "Scrolls while threads prepare photos for upload and a camera delivers frames."
  static let refresh = Parameter(
    "refresh", default: 60.0, in: 1...1_000, "Refresh rate of the display, in hertz.")
  static let seconds = Parameter(
    "seconds", default: 4.0, in: 0.1...600, "Duration of the scroll, in seconds.")
  static let photos = Parameter("photos", default: 24, in: 0...1_000, "Photos to prepare.")
  static let width = Parameter(
    "width", default: 3_000, in: 16...6_000, "Width of a photo in pixels; its height is 3/2 of it.")
  static let workers = Parameter(
    "workers", default: 1, in: 0...64, "Photos that are prepared concurrently; 0 prepares all.")
  static let nice = Parameter(
    "nice", default: 19, in: 0...19, "Nice value of the background threads.")
  static let feed = Parameter(
    "feed", default: CameraFeed.Reading.planes, "Format in which camera frames are read.")
  static let frameWidth = Parameter(
    "frame_width", default: 720, in: 16...4_000,
    "Width of a camera frame in pixels; its height is 3/2 of it.")
  static let feedRate = Parameter(
    "feed_rate", default: 30.0, in: 1...240, "Camera frames per second.")
  static let batched = Parameter(
    "batched", default: true, "Whether results are sent to an actor in batches.")
  static let results = Parameter(
    "results", default: 100_000, in: 1...10_000_000, "Results that are sent to an actor.")
  static let parameters: [any WorkloadParameter] =
    DatasetRequest.parameters(books: 300) + [
      refresh, fling, seconds, photos, width, workers, nice, feed, frameWidth, feedRate, batched,
      results,
    ]
  static let counters: [CounterDeclaration] =
    UploadQueue.counters + CameraFeed.counters + [
      .time(
        "hop.item_time", .lower, scale: .ratio,
        "Mean time to send a result to an actor, after the scroll.")
    ]

  private let clock: FrameClock
  private let fling: Fling
  private let seconds: Double
  private let results: Int
  private let isBatched: Bool
  private let uploads: UploadQueue
  private let feed: CameraFeed
  private var shelf: ScrollingShelf

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = BookDataset(context)
    let nice = parameters[Self.nice]
    shelf = try ScrollingShelf(
      books: try dataset.allBooks(), columns: 3, source: dataset.covers,
      folder: context.scratchDirectory,
      options: ScrollOptions(try ParameterValues(of: ScrollOptions.parameters)))
    clock = FrameClock(refresh: parameters[Self.refresh], paced: true)
    fling = Fling(distance: shelf.farthestOffset, peak: parameters[Self.fling])
    seconds = parameters[Self.seconds]
    results = parameters[Self.results]
    isBatched = parameters[Self.batched]
    let photos = try PaletteCovers(context, width: parameters[Self.width]).load()
    uploads = UploadQueue(
      photos: photos.map(\.bytes), count: parameters[Self.photos],
      workers: parameters[Self.workers], nice: nice)
    let frames = try PaletteCovers(context, width: parameters[Self.frameWidth]).load()
    feed = CameraFeed(
      frames: frames.map(\.bytes), rate: parameters[Self.feedRate],
      reading: parameters[Self.feed], nice: nice)
  }

  mutating func measure(_ context: MeasurementContext) throws {
    feed.start()
    uploads.start()
    let period = max(fling.seconds, 0.1)
    clock.animate("scroll", for: .seconds(seconds)) { frame in
      let isForward = Int(frame.seconds / period).isMultiple(of: 2)
      let position = fling.position(at: frame.seconds.truncatingRemainder(dividingBy: period))
      shelf.draw(at: isForward ? position : fling.distance - position, isForward: isForward)
    }
    feed.stop()
    uploads.wait()
    uploads.report(to: context)
    feed.report(to: context)
    context.report(
      "hop.item_time", Phase.hops.measure { ResultLog.time(of: results, isBatched: isBatched) })
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    var result = try BookDataset(context).setUp(context)
    for (label, width) in [("photos", Self.width), ("frames", Self.frameWidth)] {
      result.files += try PaletteCovers(context, width: context[width]).setUp(context, label: label)
    }
    return result
  }
}
