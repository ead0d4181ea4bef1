import CoverCache
import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct CacheTuningTests {
  private func counters(
    _ division: CacheTuning.Division, limit: Int = 1, objects: Int = 60
  ) throws -> [String: Double] {
    let given: [String: ParameterValue] = [
      "photos": .int(200), "requests": .int(600), "page_width": .int(100),
      "limit": .int(limit), "objects": .int(objects), "division": .string(division.rawValue),
    ]
    let parameters = try ParameterValues(given, of: CacheTuning.parameters)
    let counters = try WorkloadRun(CacheTuning.self, parameters, in: try TemporaryFolder())
      .counters
    #expect(Set(counters.keys) == Set(CacheTuning.counters.map(\.name)))
    return counters
  }

  @Test(arguments: [
    (CacheTuning.Division.fixed, 1, 60), (.fixed, 4, 10), (.tuned, 2, 60), (.tuned, 30, 1000),
    (.best, 2, 60),
  ])
  func `no division is better than the best or larger than the limit`(
    division: CacheTuning.Division, limit: Int, objects: Int
  ) throws {
    let counters = try counters(division, limit: limit, objects: objects)
    let regret = try #require(counters["tuning.regret"])
    #expect(regret >= 0)
    if division == .best { #expect(regret == 0) }
    #expect((counters["tuning.assigned_ratio"] ?? 2) <= 1)
    #expect((counters["cache.most_bytes"] ?? .infinity) <= Double(limit << 20))
  }

  // Two thumbnails of 400 bytes alternate in both halves of a session. A third of 1,200 bytes has room
  // for one of them, and every request misses. With two thirds, only the first request of the second
  // half misses: the tier has the other thumbnail.
  @Test func `the best division holds what the second half repeats`() throws {
    let requests = (0..<12).map { index in
      ClassedRequest(use: .grid, photo: index % 2, size: PixelSize(width: 10, height: 10))
    }
    let session = try TunedSession(requests, objects: 60)
    let fixed = TierDivision(thumbnails: 400, pages: 800)
    #expect(session.measuredCount == 6)
    #expect(session.outcome(fixed, after: fixed).hitCount == 0)
    let best = session.best(ofBytes: 1_200, pieces: 3, after: fixed)
    #expect(best.division == TierDivision(thumbnails: 800, pages: 400))
    #expect(best.hitCount == 5)
  }

  // All photos of a tier have one size, for which the curve is exact.
  @Test(arguments: [(CacheTuning.Division.fixed, 10), (.tuned, 60), (.exact, 60)])
  func `the curves predict the miss ratio of the recorded requests exactly`(
    division: CacheTuning.Division, objects: Int
  ) throws {
    #expect(abs(try counters(division, objects: objects)["tuning.curve_error"] ?? 1) < 1e-12)
  }

  // In 4 MiB a third has room for 24 thumbnails, fewer than the 28 on a screen. Half of 2 MiB has no
  // room for a screen either, so that no headroom remains.
  @Test(arguments: [2, 3, 4])
  func `the tuner is better than fixed shares when the limit is short`(limit: Int) throws {
    let fixed = try counters(.fixed, limit: limit)
    let tuned = try counters(.tuned, limit: limit)
    #expect((tuned["cache.hit_ratio"] ?? 0) > (fixed["cache.hit_ratio"] ?? 1) + 0.2)
    #expect((tuned["tuning.regret"] ?? 1) < 0.15)
  }

  @Test func `the exact division leaves bytes unassigned that the recorded requests did not need`()
    throws
  {
    // The 200 thumbnails and 200 pages of 100 x 216 pixels take 29 MB together.
    let exact = try counters(.exact, limit: 100, objects: 1000)
    #expect((exact["tuning.assigned_ratio"] ?? 1) < 0.3)
    // A recommendation assigns them, because they may serve other requests.
    let tuned = try counters(.tuned, limit: 100, objects: 1000)
    #expect((tuned["tuning.assigned_ratio"] ?? 0) > 0.99)
  }
}
