import CPerfFormat
import Testing

@testable import PerfProfile

/// The ends of allocations from the records of a process.
struct AllocationEndsTests {
  private func replaced(last: UInt64, at time: UInt64) -> perfkit_free {
    var end = perfkit_free()
    end.record.flags = UInt16(PERFKIT_FREE_ALL.rawValue)
    end.record.time_ns = time
    end.allocation = last
    return end
  }

  @Test func `executing another program ends all allocations of the previous one`() {
    var ends = AllocationEnds()
    ends.times = [2: 5]
    // The third record adds nothing; records of a damaged segment may come in any order.
    for (last, time) in [(3, 10), (7, 20), (6, 30)] as [(UInt64, UInt64)] {
      ends.add(replaced(last: last, at: time))
    }
    #expect((1...8).map { ends.time(of: $0) } == [10, 5, 10, 20, 20, 20, 20, nil])
  }

  @Test func `an allocation's end is found quickly among 200,000 executed programs`() {
    var ends = AllocationEnds()
    // A linear search would need 2 x 10^10 comparisons.
    let count: UInt64 = 200_000
    for number in 1...count { ends.add(replaced(last: number, at: number + 1)) }
    #expect((1...count).allSatisfy { ends.time(of: $0) == $0 + 1 })
  }
}
