import CoverCache
import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct BrowseTests {
  /// The covers have 80 x 120 pixels, 38,400 bytes each.
  private func counters(_ given: [String: ParameterValue]) throws -> [String: Double] {
    let parameters = try ParameterValues(
      given.merging(["width": .int(80), "covers": .int(30)]) { own, _ in own },
      of: Browse.parameters)
    let run = try WorkloadRun(Browse.self, parameters, in: try TemporaryFolder())
    #expect(run.setup.files.count == 6)
    #expect(Set(run.counters.keys) == Set(Browse.counters.map(\.name)))
    return run.counters
  }

  @Test func `without limits every cover stays in memory in full size`() throws {
    // 30 x 38,400.
    let counters = try counters(["decode": .string("full"), "cache": .string("dictionary")])
    #expect(counters["cache.objects"] == 30)
    #expect(counters["cache.bytes"] == 1_152_000)
    #expect(counters["cache.most_bytes"] == counters["cache.bytes"])
    #expect(counters["cache.evictions"] == 0)
  }

  @Test func `the cache stays below limits that are scaled with the covers`() throws {
    let counters = try counters([:])
    // 80 x 120 pixels are 0.0016 of six megapixels, and the limits 50 and 10 MB.
    #expect((counters["cache.most_bytes"] ?? .infinity) <= 0.0016 * 60_000_000)
    #expect((counters["cache.objects"] ?? 0) > 0)
    #expect((counters["cache.evictions"] ?? 0) > 0)
  }
}

struct RepeatedCoversTests {
  @Test func `repeated covers are found only by numbers`() throws {
    let source = RepeatedCovers(files: [[1], [2]])
    #expect(try source.encodedCover(for: "0") == [1])
    #expect(try source.encodedCover(for: "7") == [2])
    #expect(throws: CoverError.notFound(cover: "x")) { try source.encodedCover(for: "x") }
    #expect(throws: CoverError.notFound(cover: "-1")) { try source.encodedCover(for: "-1") }
  }
}
