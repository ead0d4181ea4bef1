internal import CoverCache
internal import LibraryStore
internal import PerfWorkload

/// Scrolls while photos are made ready to be sent and a camera delivers frames.
struct BackgroundMix: Workload {
  static let name = "book.background"
  static let summary = "Scrolls while photos are prepared for upload and a camera delivers frames."
  static let parameters =
    DatasetRequest.parameters(books: 300) + [
      .double("refresh", default: 60, in: 1...1_000, "Refresh rate of the display, in hertz."),
      .double("fling", default: 4_000, in: 100...100_000, "Peak speed, in points a second."),
      .double("seconds", default: 4, in: 0.1...600, "How long the reader scrolls, at least."),
      .int(
        "photos", default: 24, in: 0...1_000, "Photos that are prepared, from the beginning on."),
      .int(
        "width", default: 3_000, in: 16...6_000, "Width of a photo; its height is 3/2 of it."),
      .int("workers", default: 1, in: 0...64, "Photos prepared at one time; 0 is all of them."),
      .int("nice", default: 19, in: 0...19, "Nice value of all threads in the background."),
      .choice("feed", default: CameraFeed.Reading.planes, "How frames of the camera are read."),
      .int(
        "frame_width", default: 720, in: 16...4_000,
        "Width of a frame of the camera; its height is 3/2 of it."),
      .double("feed_rate", default: 30, in: 1...240, "Frames of the camera in a second."),
      .bool("batched", default: true, "Whether an actor is told of results many at a time."),
      .int("results", default: 100_000, in: 1...10_000_000, "Results that an actor is told of."),
    ]
  static let counters =
    UploadQueue.counters + CameraFeed.counters + [
      CounterDeclaration(
        "hop.item_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
        "Mean time to tell an actor of a result, after the scroll.")
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
    let dataset = try BookDataset(context)
    let nice = try parameters.int("nice")
    shelf = try ScrollingShelf(
      books: try dataset.allBooks(), columns: 3, source: dataset.covers,
      folder: context.scratchDirectory,
      options: try ScrollOptions(ParameterValues(of: ScrollOptions.parameters)))
    clock = FrameClock(refresh: try parameters.double("refresh"), paced: true)
    fling = Fling(distance: shelf.farthestOffset, peak: try parameters.double("fling"))
    seconds = try parameters.double("seconds")
    results = try parameters.int("results")
    isBatched = try parameters.bool("batched")
    let photos = try Self.pictures(context, "width").load()
    uploads = UploadQueue(
      photos: photos.map(\.bytes), count: try parameters.int("photos"),
      workers: try parameters.int("workers"), nice: nice)
    let frames = try Self.pictures(context, "frame_width").load()
    feed = CameraFeed(
      frames: frames.map(\.bytes), rate: try parameters.double("feed_rate"),
      reading: try parameters.choice("feed"), nice: nice)
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
    for (label, pictures) in [
      ("photos", try pictures(context, "width")), ("frames", try pictures(context, "frame_width")),
    ] {
      result.files += try pictures.prepare { context.progress(label, done: $0, total: $1) }
    }
    return result
  }

  /// Finds pictures of the width that a parameter says.
  private static func pictures(
    _ context: some DatasetContext, _ width: String
  ) throws -> PaletteCovers {
    PaletteCovers(
      width: try context.parameters.int(width), isProgressive: false, seed: context.seed,
      cache: context.cacheDirectory)
  }
}

extension Phase {
  fileprivate static let hops: Phase = "hops"
}
