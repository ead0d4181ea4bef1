import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfGate

/// The shards of a gate and the scenarios that each measures.
struct GateShardTests {
  @Test(arguments: ["1/1", "2/8", "1000/1000"])
  func `a shard is its number and the number of all shards`(text: String) throws {
    let shard = try #require(GateShard(text))
    #expect(shard.description == text)
    #expect(GateShard.isFileName(shard.fileName))
  }

  @Test(arguments: ["", "2", "0/2", "3/2", "1/0", "1/1001", "-1/2", "1/2/3", "a/b", "1 / 2", "1/٢"])
  func `a text that is no shard is refused`(text: String) {
    #expect(GateShard(text) == nil)
  }

  private func split(
    _ names: [String], _ count: Int, _ durations: [String: Double] = [:]
  ) -> [[String]] { GateShard.split(names, into: count) { durations[$0] } }

  /// By hand: 7 to the first part, 5 to the second, 4 to the second, which has 9, 3 to the first.
  @Test func `the longest scenario is assigned first, to the shard with the least`() {
    let durations = ["a": 3, "b": 7, "c": 4, "d": 5] as [String: Double]
    #expect(split(["a", "b", "c", "d"], 2, durations) == [["a", "b"], ["c", "d"]])
    // The order of the names does not change which scenarios are together.
    #expect(split(["d", "c", "b", "a"], 2, durations) == [["b", "a"], ["d", "c"]])
  }

  @Test func `scenarios of unknown duration count alike, or with the mean of the known ones`() {
    #expect(split(["a", "b", "c", "d", "e"], 2) == [["a", "c", "e"], ["b", "d"]])
    // The mean of 6 and 2 is 4: a to the first part, x to the second, b to the second.
    #expect(split(["a", "b", "x"], 2, ["a": 6, "b": 2]) == [["a"], ["b", "x"]])
  }

  @Test func `every scenario is in one shard, and further shards are empty`() {
    var random = SampleRandom(seed: 3)
    for count in 1...12 {
      let names = (0..<9).map { "s\($0)" }
      let durations = Dictionary(
        uniqueKeysWithValues: names.map { ($0, random.around(5, spread: 0.5)) })
      let parts = split(names, count, durations)
      #expect(parts.count == count)
      #expect(parts.flatMap(\.self).sorted() == names)
      #expect(parts.count { $0.isEmpty } == max(0, count - 9))
      #expect(parts == split(names, count, durations))
    }
  }

  /// A run with launches of `milliseconds`, one each `milliseconds`.
  static func run(
    _ scenario: String, milliseconds: UInt64, variant: String = "default", started: Int64 = 0
  ) -> Run {
    Run(
      id: "r\(scenario)\(started)", scenario: scenario, variant: variant, label: nil,
      started: Timestamp(milliseconds: started), seed: 1, parameters: [:], command: [],
      environment: Environment(facts: [:]), definitions: [],
      launches: (0..<3).map { index in
        Launch(
          index: index, isWarmup: false, status: .completed,
          offset: UInt64(index) * milliseconds * 1_000_000,
          metrics: [MetricName.wall: Double(milliseconds) * 1e6])
      }, budgets: [], profile: nil, warnings: [], wasInterrupted: false)
  }

  /// A pair has 4 launches of 100 ms for each side, or 1 of 600 ms; the constant factor of both sides is
  /// left out.
  @Test func `durations are those of a pair of the latest run of each variant`() {
    let times = CommittedTimes([
      Self.run("short", milliseconds: 100, started: 2),
      Self.run("short", milliseconds: 300, started: 1),
      Self.run("long", milliseconds: 600),
      Self.run("long", milliseconds: 700, variant: "other"),
    ])
    #expect(times.time(of: "short", ["default"]) == 4 * 100e6)
    #expect(times.time(of: "long", ["default"]) == 600e6)
    #expect(times.time(of: "long", ["default", "other"]) == 1300e6)
    #expect(times.time(of: "long", ["default", "third"]) == nil)
    #expect(times.time(of: "new", ["default"]) == nil)
    #expect(times.time(of: "long", []) == nil)
  }

  @Test func `a change of the rules is reported by the shard of its scenario, else by the first`()
    throws
  {
    let split = [["a"], ["b"], []]
    for (subject, owner) in [("a", 1), ("b", 2), ("perfkit.yml", 1), ("removed", 1)] {
      let reporting = try (1...3).filter { number in
        GatePart.reports(subject, try #require(GateShard(number, of: 3)), split)
      }
      #expect(reporting == [owner], "\(subject)")
    }
  }
}
