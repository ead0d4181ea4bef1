import Testing

@testable import PerfStatistics

struct DistributionChangeTests {
  typealias Block = (base: [Double], candidate: [Double])

  @Test(arguments: [2, 10, 11, 13])
  func `disjoint sides in all pairs have the p-value of two exchanges`(count: Int) {
    // Only the exchanges of no pair and of all pairs have a distance of 1.
    let blocks = (0..<count).map { _ in Block([1, 2], [3, 4]) }
    let p = DistributionChange.p(blocks, tolerance: 0, seed: 1)
    #expect(p == Double(sign: .plus, exponent: 1 - count, significand: 1))
    #expect((p <= DistributionChange.level) == (count >= 11))
  }

  @Test
  func `many pairs are exchanged at random`() {
    let blocks = (0..<20).map { _ in Block([1, 2], [3, 4]) }
    #expect(DistributionChange.p(blocks, tolerance: 0, seed: 1) == 1 / 5000.0)
  }

  @Test
  func `a shift within the tolerance is not a change of the distribution`() {
    let blocks = (0..<12).map { _ in Block([5, 6], [7, 8]) }
    #expect(DistributionChange.p(blocks, tolerance: 2, seed: 1) == 1)
    #expect(DistributionChange.p(blocks, tolerance: 1.9, seed: 1) < 0.001)
  }

  @Test
  func `without a change at most one in twenty p-values is below 0.05`() {
    // 200 comparisons of 12 pairs with different levels: at most 10 expected, with a standard error
    // of 3.1; ties of the distance reduce the number.
    let noise = PairedData.noise(3, 200 * 12 * 5)
    var below = 0
    for comparison in 0..<200 {
      let blocks = (0..<12).map { block in
        let start = (comparison * 12 + block) * 5
        let level = 0.3 * noise[start]
        return Block(
          [level + noise[start + 1], level + noise[start + 2]],
          [level + noise[start + 3], level + noise[start + 4]])
      }
      if DistributionChange.p(blocks, tolerance: 0, seed: UInt64(comparison)) <= 0.05 { below += 1 }
    }
    #expect((1...19).contains(below))
  }
}
