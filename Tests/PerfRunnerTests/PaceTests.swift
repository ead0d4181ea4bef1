import Testing

@testable import PerfRunner

struct PaceTests {
  @Test func `the pace is CPU time of the calling thread`() throws {
    let began = try #require(SystemCalls.threadCPUTime())
    let pace = try #require(Pace.measure())
    let ended = try #require(SystemCalls.threadCPUTime())
    #expect(pace.steps > 0 && pace.lookups > 0)
    #expect(pace.steps + pace.lookups <= ended - began)
  }
}
