import CoverCache
import Foundation
import LibraryStore
import PerfTestSupport
import PerfWorkload
import Synchronization
import Testing

@testable import BookWorkloads

struct ColdStartTests {
  static let naive: [String: ParameterValue] = [
    "existence": .string("fetch-all"), "queries": .string("unindexed"),
    "display": .string("eager"), "disk_tier": .bool(false),
  ]
  static let firstRun: [String: ParameterValue] = ["disk_tier": .bool(false)]

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func parameters(
    _ given: [String: ParameterValue], books: Int, covers: String = ""
  ) throws -> ParameterValues {
    let shared: [String: ParameterValue] = [
      "books": .int(books), "sizes": .string("small"), "covers": .string(covers),
    ]
    return try ParameterValues(given.merging(shared) { $1 }, of: ColdStart.parameters)
  }

  func setUp(_ parameters: ParameterValues) throws -> SetupResult {
    try ColdStart.setup(
      SetupContext(parameters: parameters, seed: 7, cacheDirectory: folder("cache")))
  }

  func start(_ parameters: ParameterValues) throws -> MeasurementContext {
    let context = MeasurementContext(warning: { Issue.record("\($0)") })
    let workload = try ColdStart(
      PreparationContext(
        parameters: parameters, seed: 7, launch: 0, cacheDirectory: folder("cache"),
        scratchDirectory: folder.path))
    try workload.measure(context)
    return context
  }

  @Test(arguments: [naive, firstRun, [:]], [0, 5, 20])
  func `a cold start runs in every variant with few books or none`(
    variant: [String: ParameterValue], books: Int
  ) throws {
    let parameters = try parameters(variant, books: books)
    let result = try setUp(parameters)
    #expect(result.notes["books"] == "\(books)")
    #expect(result.files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    let counters = try start(parameters).counters
    #expect(Set(counters.keys) == ["library.load"])
    #expect((counters["library.load"] ?? 0) > 0)
  }

  // The files are the library and one file per cover, or two with the disk tier.
  @Test(arguments: [(naive, 16), (firstRun, 16), ([:], 31)])
  func `the setup returns the files for a cold page cache`(
    variant: [String: ParameterValue], count: Int
  ) throws {
    #expect(try setUp(parameters(variant, books: 20)).files.count == count)
  }

  @Test func `both kinds of display end with the same screen`() throws {
    let parameters = try parameters([:], books: 20)
    _ = try setUp(parameters)
    let dataset = BookDataset(
      DatasetRequest(parameters, seed: 7), cache: folder("cache"))
    let books = try dataset.openLibrary(.optimised).page(offset: 0, limit: 50)
    let screens = (0..<3).map { _ in
      FirstScreen(
        books: books, layout: ShelfLayout(count: books.count), dataset: dataset,
        context: MeasurementContext(warning: { Issue.record("\($0)") }))
    }
    try screens[0].showEagerly()
    try screens[1].showPlaceholdersFirst(disk: false)
    try screens[2].showPlaceholdersFirst(disk: true)
    let pictures = try screens.map { try $0.framebuffer.snapshot() }
    // Full covers are drawn with their nearest pixels, and the disk tier encodes covers once more.
    for picture in pictures[1...] {
      #expect(try difference(pictures[0], picture) < 6)
    }
    let layout = ShelfLayout(count: books.count)
    for index in layout.visible(at: 0) {
      let rect = layout.coverRect(of: index, at: 0)
      for picture in pictures {
        #expect(picture[rect.x + 100, rect.y + 10] != ShelfPainter.neutral.top)
      }
    }
  }

  /// Returns the mean difference between the channels of two pictures in levels, over every seventh
  /// pixel.
  func difference(_ first: PixelBuffer, _ second: PixelBuffer) throws -> Double {
    var sum = 0
    var count = 0
    first.withUnsafeBytes { first in
      second.withUnsafeBytes { second in
        for index in stride(from: 0, to: first.count, by: 7) {
          sum += abs(Int(first[index]) - Int(second[index]))
          count += 1
        }
      }
    }
    return Double(sum) / Double(count)
  }

  @Test func `a missing cover leaves its placeholder and causes a warning`() throws {
    let parameters = try parameters(Self.firstRun, books: 3)
    let result = try setUp(parameters)
    let cover = try #require(result.files.first { $0.hasSuffix(".jpg") })
    try FileManager.default.removeItem(atPath: cover)
    for variant in [Self.firstRun, ["display": .string("eager")]] {
      let warnings = Mutex<[WorkerMessage.Warning]>([])
      let workload = try ColdStart(
        PreparationContext(
          parameters: try self.parameters(variant, books: 3), seed: 7, launch: 0,
          cacheDirectory: folder("cache"), scratchDirectory: folder.path))
      try workload.measure(
        MeasurementContext(warning: { warning in warnings.withLock { $0.append(warning) } }))
      #expect(warnings.withLock { $0.map(\.code) } == ["cover.failed"])
    }
  }

  @Test func `a missing data set is an error`() throws {
    let parameters = try parameters([:], books: 20)
    #expect {
      try start(parameters)
    } throws: { error in
      guard case DatasetError.library(.missing) = error else { return false }
      return true
    }
  }
}
