import Testing

@testable import PerfGate

struct BisectSearchTests {
  @Test func `a search finds the first bad commit in the fewest steps`() {
    for count in 1...40 {
      for first in 0..<count {
        var search = BisectSearch(count: count)
        var steps = 0
        while let index = search.next {
          search.set(index >= first ? .bad : .good, at: index)
          steps += 1
        }
        #expect(search.candidates == [first])
        // The least k with 2^k >= count.
        let least = (count - 1).bitWidth - (count - 1).leadingZeroBitCount
        #expect(steps <= least)
      }
    }
  }

  @Test func `unknown commits just before the first bad one stay candidates`() {
    var search = BisectSearch(count: 8)
    let unknown: Set = [2, 3, 6]
    while let index = search.next {
      search.set(unknown.contains(index) ? .unknown : index >= 4 ? .bad : .good, at: index)
    }
    #expect(search.candidates == [2, 3, 4])
  }

  @Test func `a search that runs out of time returns the remaining candidates`() throws {
    var search = BisectSearch(count: 16)
    var tested: [Int] = []
    search.run(while: { tested.count < 2 }) { index in
      tested.append(index)
      return index >= 9 ? .bad : .good
    }
    // Of 0 to 15, 15 is known to be bad: 7 is good, 11 is bad.
    #expect(tested == [7, 11])
    #expect(search.candidates == Array(8...11))
    #expect(search.next != nil)
  }
}
