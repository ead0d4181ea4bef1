import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct OfflineScansTests {
  /// Runs a session of ten scans, which takes a tenth of a second because its clock is fast.
  private func counters(_ given: [String: ParameterValue]) throws -> [String: Double] {
    let short: [String: ParameterValue] = [
      "scans": .int(10), "interval": .double(0.5), "idle": .double(3), "latency": .int(10),
      "away_from": .double(0), "speed": .double(100),
    ]
    let parameters = try ParameterValues(short.merging(given) { $1 }, of: OfflineScans.parameters)
    let counters = try WorkloadRun(OfflineScans.self, parameters, in: try TemporaryFolder())
      .counters
    #expect(Set(counters.keys) == Set(OfflineScans.counters.map(\.name)))
    // The time exceeds 3 s on a slow machine and is never shorter.
    #expect((counters["camera.rest_time"] ?? 0) >= 3e9)
    return counters
  }

  @Test(arguments: [1, 4])
  func `queued scans wait for the network and none is lost`(batch: Int) throws {
    let counters = try counters(["away_for": .double(2), "batch": .int(batch)])
    #expect(counters["scans.lost"] == 0)
    #expect(counters["scans.waiting"] == 0)
    #expect(counters["scans.repeated"] == 0)
  }

  @Test func `queued scans still wait if the network does not return`() throws {
    let counters = try counters(["away_for": .double(3_600)])
    #expect(counters["scans.lost"] == 0)
    #expect(counters["scans.waiting"] == 10)
  }

  @Test func `scans without an outbox are lost after four attempts`() throws {
    let counters = try counters(["away_for": .double(3_600), "sending": .string("at-once")])
    #expect(counters["scans.lost"] == 10)
    // Each scan is sent immediately and after 1, 2 and 4 s.
    #expect(counters["scans.requests"] == 40)
  }
}
