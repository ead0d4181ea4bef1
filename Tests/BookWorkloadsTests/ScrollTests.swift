import CoverCache
import Foundation
import LibraryStore
import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

/// A scroll through a few small covers with an unpaced clock, so that it takes only the time of its
/// work.
private struct Fixture {
  let folder: TemporaryFolder

  static let naive: [String: ParameterValue] = [
    "decode": .string("full"), "cache": .string("dictionary"), "loading": .string("main-thread"),
    "layout": .string("every-frame"), "palettes": .string("uncached"), "prefetch": .int(0),
    "disk_tier": .bool(false),
  ]

  init() throws { folder = try TemporaryFolder() }

  func values(
    _ variant: [String: ParameterValue], of declarations: [any WorkloadParameter], books: Int
  ) throws -> ParameterValues {
    let small: [String: ParameterValue] = ["books": .int(books), "sizes": .string("small")]
    return try ParameterValues(variant.merging(small) { $1 }, of: declarations)
  }

  func run<Measured: Workload>(
    _ workload: Measured.Type, _ parameters: ParameterValues, _ context: MeasurementContext
  ) throws {
    let run = try WorkloadRun(workload, parameters, in: folder, context)
    #expect(run.setup.files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    var names = Set(Measured.counters.map(\.name))
    // Without the monitor or the log there are no counters of theirs.
    let isScroll = workload == Scroll.self
    if !isScroll || !parameters[Scroll.monitor] {
      names.subtract(AppMonitor.counters.map(\.name))
    }
    if !isScroll || !parameters[Scroll.logger] {
      names.subtract(PerformanceLog.counters.map(\.name))
    }
    #expect(Set(context.counters.keys) == names)
  }
}

struct ScrollTests {
  private let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func counters(
    _ variant: [String: ParameterValue], books: Int
  ) throws -> [String: Double] {
    var parameters = variant
    parameters["clock"] = .string("unpaced")
    parameters["fling"] = .double(20_000)
    let context = MeasurementContext(warning: { Issue.record("\($0)") })
    try fixture.run(
      Scroll.self, fixture.values(parameters, of: Scroll.parameters, books: books), context)
    return context.counters
  }

  /// The parameters that reproduce the app after each week of the ablation.
  static let weeks: [[String: ParameterValue]] = [
    [
      "decode": .string("full"), "cache": .string("nscache"), "cost": .string("none"),
      "palettes": .string("background"), "extraction": .string("every-pixel"),
      "disk_content": .string("encoded"),
    ],
    ["palettes": .string("uncached"), "extraction": .string("single-scale")],
    [
      "extraction": .string("multi-scale"), "scroll_aware": .bool(true), "rest": .double(0.4),
      "monitor": .bool(true), "logger": .bool(true),
    ],
  ]

  @Test(arguments: [Fixture.naive, [:]] + Self.weeks, [1, 40])
  func `a scroll runs in every variant with few and many books`(
    variant: [String: ParameterValue], books: Int
  ) throws {
    let counters = try counters(variant, books: books)
    #expect(counters["loads.failed"] == 0)
    // The first screen is always requested; the number of later frames depends on the machine.
    let requests = (counters["cache.hits"] ?? 0) + (counters["cache.misses"] ?? 0)
    #expect(requests >= Double(min(books, 12)))
  }

  @Test func `a naive scroll keeps every displayed cover in full size`() throws {
    let counters = try counters(Fixture.naive, books: 40)
    // The covers have 25x37 pixels and more, so none was scaled.
    #expect(counters["cache.misses"] == counters["cache.objects"])
    #expect(counters["cache.evictions"] == 0)
    #expect(counters["loads.finished"] == 0)
    #expect(counters["cells.placeholders"] == 0)
    #expect(counters["cells.colourless"] == 0)
  }

  @Test func `a scroll-aware list requests the skipped covers when it rests`() throws {
    // Without a rest only the first screen is requested, before the fling is fast.
    let fast = try counters(["scroll_aware": .bool(true), "prefetch": .int(0)], books: 40)
    let resting = try counters(
      ["scroll_aware": .bool(true), "prefetch": .int(0), "rest": .double(0.5)], books: 40)
    #expect((fast["loads.finished"] ?? 99) + (fast["loads.cancelled"] ?? 99) <= 18)
    let asked = (resting["loads.finished"] ?? 0) + (resting["loads.cancelled"] ?? 0)
    #expect(asked > 18)
  }
}

struct ScrollingShelfTests {
  private let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func shelf(
    _ variant: [String: ParameterValue], without missing: Int? = nil
  ) throws -> (shelf: ScrollingShelf, layout: ShelfLayout) {
    let parameters = try fixture.values(variant, of: Scroll.parameters, books: 40)
    _ = try Scroll.setup(
      SetupContext(parameters: parameters, seed: 7, cacheDirectory: fixture.folder("cache")))
    let dataset = BookDataset(
      DatasetRequest(parameters, seed: 7), cache: fixture.folder("cache"))
    let books = try dataset.allBooks()
    if let missing {
      let name = try #require(books[missing].cover)
      try FileManager.default.removeItem(atPath: "\(dataset.coversFolder)/\(name)")
    }
    let shelf = try ScrollingShelf(
      books: books, columns: 3, source: dataset.covers, folder: fixture.folder.path,
      options: ScrollOptions(parameters))
    return (shelf, ShelfLayout(count: books.count))
  }

  /// Draws frames until all covers are loaded, and returns the indices of cells without a cover.
  private func placeholders(
    of shelf: inout ScrollingShelf, _ layout: ShelfLayout
  ) throws -> [Int] {
    repeat { shelf.draw(at: 0, isForward: true) } while shelf.isWaiting
    let picture = try shelf.snapshot()
    return layout.visible(at: 0).filter { index in
      let rect = layout.coverRect(of: index, at: 0)
      return picture[rect.x, rect.y] == ShelfPainter.neutral.top
    }
  }

  @Test(arguments: [Fixture.naive, [:]])
  func `every cover is displayed eventually`(variant: [String: ParameterValue]) throws {
    var (shelf, layout) = try shelf(variant)
    #expect(try placeholders(of: &shelf, layout) == [])
  }

  @Test(arguments: [Fixture.naive, [:]])
  func `a missing cover keeps its placeholder`(variant: [String: ParameterValue]) throws {
    var (shelf, layout) = try shelf(variant, without: 2)
    #expect(try placeholders(of: &shelf, layout) == [2])
  }

  @Test func `few covers are in memory after scrolling to the end`() throws {
    var (shelf, _) = try shelf(["prefetch": .int(5)])
    for step in 0...100 {
      repeat {
        shelf.draw(at: shelf.farthestOffset * Double(step) / 100, isForward: true)
      } while shelf.isWaiting
    }
    let metrics = shelf.covers.metrics(of: .thumbnail)
    #expect(metrics.totalRequests == 40)
    #expect(metrics.memoryUsage <= 10_000_000)
  }

  @Test func `a shelf with encoded covers prefetches each cover once`() throws {
    var (shelf, _) = try shelf([
      "preset": .string("swiftwing"), "decode": .string("full"),
      "disk_content": .string("encoded"), "disk_tier": .bool(false), "prefetch": .int(20),
    ])
    for step in 0...100 {
      repeat {
        shelf.draw(at: shelf.farthestOffset * Double(step) / 100, isForward: true)
      } while shelf.isWaiting
    }
    // Each of the forty covers is fetched once and decoded once.
    #expect(shelf.covers.loadMetrics.finishedCount <= 80)
    #expect(shelf.covers.metrics(of: .thumbnail).hitRatio == 0)
    let encoded = shelf.covers.encodedMetrics
    #expect(encoded.objectCount == 40)
    #expect(encoded.totalRequests == 40)
  }

  @Test func `an opened page is loaded once`() throws {
    var (shelf, _) = try shelf(["prefetch": .int(0)])
    repeat { shelf.draw(at: 0, isForward: true) } while shelf.isWaiting
    shelf.openPage()
    repeat {
      shelf.draw(at: 0, isForward: true)
    } while shelf.covers.loadMetrics.pendingCount > 0
    let loads = shelf.covers.loadMetrics
    #expect(shelf.covers.metrics(of: .image).objectCount == 1)
    shelf.openPage()
    #expect(shelf.covers.loadMetrics == loads)
  }
}

struct CacheThrashTests {
  @Test(arguments: AccessTrace.allCases, MemoryPolicy.allCases)
  func `a cache reports its hit ratio and the optimal one`(trace: AccessTrace, policy: MemoryPolicy)
    throws
  {
    let parameters = try ParameterValues(
      [
        "books": .int(60), "requests": .int(400), "capacity": .int(20),
        "trace": .string(trace.rawValue), "policy": .string(policy.rawValue),
      ], of: CacheThrash.parameters)
    let folder = try TemporaryFolder()
    let context = MeasurementContext(warning: { Issue.record("\($0)") })
    try CacheThrash(
      PreparationContext(
        parameters: parameters, seed: 7, launch: 0, cacheDirectory: folder.path,
        scratchDirectory: folder.path)
    ).measure(context)
    let counters = context.counters
    #expect(Set(counters.keys) == Set(CacheThrash.counters.map(\.name)))
    #expect((counters["cache.request_time"] ?? 0) > 0)
    // A cover takes 200 x 300 x 4 bytes.
    #expect(counters["cache.bytes"] == (counters["cache.objects"] ?? 0) * 240_000)
    switch policy {
    case .dictionary:
      #expect(counters["cache.evictions"] == 0)
    default:
      #expect(counters["cache.objects"] == 20)
      #expect((counters["cache.hit_ratio"] ?? 1) <= (counters["cache.belady_hit_ratio"] ?? 0))
    }
  }
}

struct PressuredScrollTests {
  @Test(arguments: PressureStrategy.allCases)
  func `a scroll under pressure reports all its counters with every strategy`(
    handler: PressureStrategy
  ) throws {
    let fixture = try Fixture()
    let context = MeasurementContext(warning: { Issue.record("\($0)") })
    let parameters = try fixture.values(
      ["seconds": .double(0.1), "handler": .string(handler.rawValue)],
      of: PressuredScroll.parameters,
      books: 30)
    try fixture.run(PressuredScroll.self, parameters, context)
    #expect(context.counters["pressure.transitions"] == 0)
  }

  @Test(arguments: PressureStrategy.allCases)
  func `a scroll handles the level of pressure that the harness sends`(
    handler: PressureStrategy
  ) throws {
    let fixture = try Fixture()
    let context = MeasurementContext(warning: { Issue.record("\($0)") })
    context.deliverPressure(.critical, fraction: 0.9)
    let parameters = try fixture.values(
      ["seconds": .double(0.1), "handler": .string(handler.rawValue)],
      of: PressuredScroll.parameters, books: 30)
    try fixture.run(PressuredScroll.self, parameters, context)
    #expect(context.counters["pressure.transitions"] == 1)
    // Nothing was in memory when the scroll began.
    #expect(context.counters["pressure.freed"] == 0)
  }

  @Test func `the refill time of the cache is reported`() throws {
    let cover = try JPEGEncoder().encode(
      try PixelBuffer(size: PixelSize(width: 20, height: 30)) { _ in })
    let cache = try CoverCache(source: OneCover(bytes: cover))
    let response = PressureResponse(covers: cache, strategy: .levels)
    for key in 0..<10 { _ = try cache.load("\(key)") }
    response.take(.critical, use: 0.9)
    #expect(cache.metrics(of: .thumbnail).objectCount == 0)
    for key in 0..<9 { _ = try cache.load("\(key)") }
    response.watch()
    response.take(.normal, use: 0.4)
    let context = MeasurementContext(warning: { Issue.record("\($0)") })
    response.report(to: context)
    #expect(context.counters["pressure.transitions"] == 2)
    // There are ten covers of 20 x 30 x 4 bytes.
    #expect(context.counters["pressure.freed"] == 24_000)
    #expect((context.counters["pressure.refill"] ?? 0) > 0)
    #expect(context.counters["pressure.kept_thumbnails.critical"] == 0)
    // There was no large cover to free, and no message with the level warning.
    #expect(context.counters["pressure.kept_images.critical"] == 1)
    #expect(context.counters["pressure.kept_thumbnails.warning"] == 1)
  }
}

/// A cover source that returns one cover for all keys.
private struct OneCover: CoverSource {
  let bytes: [UInt8]
  func encodedCover(for key: String) throws(CoverError) -> [UInt8] { bytes }
}
