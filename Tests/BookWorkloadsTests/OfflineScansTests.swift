import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

@Suite struct `Scans without a network` {
  /// Runs a session of ten scans; its time goes so fast that it lasts a tenth of a second.
  private func counters(_ given: [String: ParameterValue]) throws -> [String: Double] {
    let short: [String: ParameterValue] = [
      "scans": .int(10), "interval": .double(0.5), "idle": .double(3), "latency": .int(10),
      "away_from": .double(0), "speed": .double(100),
    ]
    let parameters = try ParameterValues(short.merging(given) { $1 }, of: OfflineScans.parameters)
    let counters = try WorkloadRun(OfflineScans.self, parameters, in: try TemporaryFolder())
      .counters
    #expect(Set(counters.keys) == Set(OfflineScans.counters.map(\.name)))
    // Later than 3 s by what the machine is late, and never earlier.
    #expect((counters["camera.rest_time"] ?? 0) >= 3e9)
    return counters
  }

  @Test(arguments: [1, 4])
  func `wait for it, and none is lost`(batch: Int) throws {
    let counters = try counters(["away_for": .double(2), "batch": .int(batch)])
    #expect(counters["scans.lost"] == 0)
    #expect(counters["scans.waiting"] == 0)
    #expect(counters["scans.repeated"] == 0)
  }

  @Test func `still wait when it does not come back`() throws {
    let counters = try counters(["away_for": .double(3_600)])
    #expect(counters["scans.lost"] == 0)
    #expect(counters["scans.waiting"] == 10)
  }

  @Test func `are lost after four attempts where nobody keeps them`() throws {
    let counters = try counters(["away_for": .double(3_600), "sending": .string("at-once")])
    #expect(counters["scans.lost"] == 10)
    // Each at once and after 1, 2 and 4 s.
    #expect(counters["scans.requests"] == 40)
  }
}
