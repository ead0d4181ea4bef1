import PerfModel
import PerfTestSupport
import Testing

@testable import PerfGate

struct ExitStatusTests {
  @Test func `several statuses are represented by the worst one`() {
    // 1 before 2 before 4 before 3 before 0.
    typealias Status = PerfGate.ExitStatus
    #expect(Status.worst([.done, .inconclusive, .void]) == .void)
    #expect(Status.worst([.void, .failed, .done]) == .failed)
    #expect(Status.worst([.failed, .gateFailed, .inconclusive]) == .gateFailed)
    #expect(Status.worst([]) == .done)
  }

  @Test func `the ids of runs sort by time and differ from commits`() {
    let first = RunIdentifier.make(at: Timestamp(milliseconds: 1_795_227_498_000))
    let second = RunIdentifier.make(at: Timestamp(milliseconds: 1_795_227_498_001))
    #expect(first < second)
    #expect(first.hasPrefix("r"))
  }

  @Test func `runs that begin in the same millisecond have different ids`() {
    var random = SampleRandom(seed: 1)
    let ids = (0..<100).map { _ in
      RunIdentifier.make(at: Timestamp(milliseconds: 1_795_227_498_000), using: &random)
    }
    // Two of 100 are equal in one of 200 seeds: 100 * 99 / 2 / 2^20.
    #expect(Set(ids).count == ids.count)
    #expect(Set(ids.map { $0.prefix(10) }).count == 1)
  }
}
