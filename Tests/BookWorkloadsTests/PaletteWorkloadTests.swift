import CoverCache
import CoverPalette
import Foundation
import PerfTestSupport
import PerfWorkload
import Synchronization
import Testing

@testable import BookWorkloads

struct PaletteTraceTests {
  @Test(arguments: [1 as UInt64, 2, 3])
  func `a trace has the shares that the case study counted`(seed: UInt64) {
    let trace = PaletteTrace(count: 1_247, seed: seed)
    #expect(trace.requests.count == 1_247)
    // All 284 + 71 books are requested, and every other request is for one of the last fifty.
    #expect(trace.known == 284)
    #expect(trace.new == 71)
    #expect(Set(trace.requests) == Set(0..<355))
    var recent: [Int] = []
    var seen: Set<Int> = []
    for book in trace.requests {
      if !seen.insert(book).inserted {
        #expect(recent.contains(book))
        recent.removeAll { $0 == book }
      }
      recent.append(book)
      if recent.count > 50 { recent.removeFirst() }
    }
  }

  @Test func `a trace of another length has the same shares`() {
    let trace = PaletteTrace(count: 100, seed: 1)
    #expect(trace.known == 23)
    #expect(trace.new == 6)
    #expect(trace.requests == PaletteTrace(count: 100, seed: 1).requests)
    #expect(trace.requests != PaletteTrace(count: 100, seed: 2).requests)
  }
}

struct PaletteWorkloadTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func counters<Measured: Workload>(
    _ workload: Measured.Type, _ values: [String: ParameterValue]
  ) throws -> [String: Double] {
    let parameters = try ParameterValues(values, of: Measured.parameters)
    let run = try WorkloadRun(workload, parameters, in: folder, scratch: TemporaryFolder())
    #expect(!run.setup.files.isEmpty)
    #expect(run.setup.files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    #expect(Set(run.counters.keys).isSubset(of: Measured.counters.map(\.name)))
    return run.counters
  }

  @Test(arguments: PaletteMethod.allCases)
  func `every extraction method is measured`(method: PaletteMethod) throws {
    let counters = try counters(
      PaletteExtract.self,
      ["method": .string(method.rawValue), "width": .int(48), "rounds": .int(2)])
    #expect((counters["palette.time"] ?? 0) > 0)
    #expect((counters["palette.memory"] ?? -1) >= 0)
    #expect(counters["palette.decode_time"] == nil)
    let distance = try #require(counters["palette.distance"])
    #expect(distance <= counters["palette.distance_max"] ?? 0)
    #expect((counters["palette.pixel_distance"] ?? 0) > 0)
    // Counting every pixel is the reference of the distances.
    if method == .everyPixel { #expect(counters["palette.distance_max"] == 0) }
  }

  @Test(arguments: ColorCounting.allCases)
  func `a method that counts all pixels has distance 0 in every histogram`(
    counting: ColorCounting
  ) throws {
    // Covers of 48 pixels are decoded whole and fit into the box of 400 pixels.
    let counters = try counters(
      PaletteExtract.self,
      [
        "method": .string(PaletteMethod.singleScale.rawValue), "width": .int(48),
        "counting": .string(counting.rawValue), "rounds": .int(1),
      ])
    #expect(counters["palette.distance_max"] == 0)
  }

  @Test func `the workload reads the requested number of covers`() throws {
    let covers = PaletteCovers(width: 16, isProgressive: false, seed: 1, cache: folder.path)
    #expect(try covers.prepare { _, _ in }.count == 6)
    #expect(try covers.load(3).map(\.name) == ["light", "dark", "noisy"])
    #expect(try covers.load().map(\.name) == CoverImpression.allCases.map(\.rawValue))
  }

  @Test func `a set of 25 photographs is painted`() throws {
    let covers = PaletteCovers(
      pictures: .photographs, width: 32, isProgressive: false, seed: 1, cache: folder.path)
    let names = try covers.prepare { _, _ in }.map { ($0 as NSString).lastPathComponent }
    #expect(names.count == 25)
    #expect(names == names.sorted())
    #expect(Set(try covers.load().map(\.bytes)).count == 25)
  }

  @Test func `a count beyond the set is a warning`() throws {
    let warnings = Mutex<[String]>([])
    let context = SetupContext(
      parameters: try ParameterValues(
        ["pictures": .string("photographs"), "width": .int(16), "count": .int(30)],
        of: PaletteExtract.parameters), seed: 7, cacheDirectory: folder("cache"),
      warning: { message in warnings.withLock { $0.append("\(message)") } })
    #expect(try PaletteExtract.setup(context).files.count == 25)
    #expect(warnings.withLock(\.self).count == 1)
    #expect(warnings.withLock(\.self).first?.contains("25 pictures instead of 30") == true)
  }

  @Test func `the reference decode is timed if it is requested`() throws {
    let counters = try counters(
      PaletteExtract.self,
      ["width": .int(48), "progressive": .bool(true), "reference": .bool(true)])
    let ratio = try #require(counters["palette.time_ratio"])
    let decode = try #require(counters["palette.decode_time"])
    #expect(abs(ratio * decode - (counters["palette.time"] ?? 0)) < 1)
  }

  @Test func `damaged files are created again`() throws {
    let parameters = try ParameterValues(["width": .int(48)], of: PaletteExtract.parameters)
    let context = SetupContext(parameters: parameters, seed: 7, cacheDirectory: folder("cache"))
    let file = try #require(try PaletteExtract.setup(context).files.first)
    let truth = "\(file.dropLast(4)).colours"
    let whole = try Data(contentsOf: URL(fileURLWithPath: truth))
    try Data([1]).write(to: URL(fileURLWithPath: truth))
    _ = try PaletteExtract.setup(context)
    #expect(try Data(contentsOf: URL(fileURLWithPath: truth)) == whole)
  }

  private static let few: [String: ParameterValue] = [
    "books": .int(40), "requests": .int(120), "sizes": .string("small"),
  ]

  // Of 120 requests 27 are for stored books and 7 for new ones.
  @Test(
    arguments: [
      (["tiers": .string("all")], [86, 27, 7]), (["tiers": .string("memory")], [86, 0, 34]),
      (["tiers": .string("none")], [0, 0, 120]), (["days": .int(30)], [86, 27, 7]),
      (["days": .int(31)], [86, 0, 34]),
    ] as [([String: ParameterValue], [Int])])
  func `the counters report which tier answers`(variant: [String: ParameterValue], counts: [Int])
    throws
  {
    let counters = try counters(
      PaletteRequests.self, Self.few.merging(variant) { $1 })
    let names = ["from_memory", "from_disk", "extracted"]
    #expect(names.map { Int(counters["palettes.\($0)"] ?? -1) } == counts)
    let times = ["memory_time", "disk_time", "extraction_time"]
    #expect(times.map { counters["palettes.\($0)"] != nil } == counts.map { $0 > 0 })
  }
}
