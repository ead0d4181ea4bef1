import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct SelftestTests {
  private func plan(_ parameters: [String: ParameterValue]) throws -> SelftestPlan {
    try SelftestPlan(ParameterValues(parameters, of: SelftestWork.parameters))
  }

  private func steps(_ plan: SelftestPlan) -> [Int] {
    (0..<plan.frames).map { plan.steps(ofFrame: $0) }
  }

  @Test func `the work is distributed over all frames without a remainder`() throws {
    // 50 ms with 1,001 steps each are 50,050 steps: 200 frames of 250 or 251.
    let steps = steps(try plan(["speed": .int(1_001)]))
    #expect(steps.count == 200)
    #expect(steps.reduce(0, +) == 50_050)
    #expect(Set(steps) == [250, 251])
  }

  @Test(arguments: [1.0, 2, 3, 5, 10])
  func `the work grows by the requested percentage`(percent: Double) throws {
    let parameters: [String: ParameterValue] = ["speed": .int(1_000)]
    let base = steps(try plan(parameters)).reduce(0, +)
    let more = steps(
      try plan(parameters.merging(["cpu_percent": .double(percent)]) { $1 })
    ).reduce(0, +)
    #expect(more == base + base * Int(percent) / 100)
  }

  @Test func `three of a hundred frames are delayed by two milliseconds`() throws {
    let base = steps(try plan(["speed": .int(1_000)]))
    let delayed = steps(try plan(["speed": .int(1_000), "frame_delay": .double(2)]))
    let added = zip(base, delayed).map { $1 - $0 }
    #expect(added.filter { $0 > 0 } == Array(repeating: 2_000, count: 6))
    #expect(added.indices.filter { added[$0] > 0 } == [33, 66, 99, 133, 166, 199])
  }

  @Test func `the selftest workload runs with additional memory`() throws {
    let folder = try TemporaryFolder()
    for percent in [0.0, 5] {
      let parameters = try ParameterValues(
        [
          "speed": .int(100), "milliseconds": .double(1), "frames": .int(4), "memory": .int(8),
          "memory_percent": .double(percent),
        ], of: SelftestWork.parameters)
      #expect(try WorkloadRun(SelftestWork.self, parameters, in: folder).counters.isEmpty)
    }
  }
}
