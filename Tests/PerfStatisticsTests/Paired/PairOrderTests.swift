import PerfStatistics
import Testing

struct PairOrderTests {
  @Test func `each pair has a random order with equal numbers of launches per side`() {
    let order = PairOrder(seed: 1)
    let pairs = (0..<40).map { order.order(ofPair: $0, launches: 4) }
    #expect(pairs.allSatisfy { $0.count == 8 && $0.count { $0 } == 4 })
    #expect(Set(pairs).count > 20)
    // The first launch of a pair is from either side equally often: 40 tosses are within 8 to 32
    // with probability above 0.9998 (two-sided binomial).
    #expect(8...32 ~= pairs.count { $0[0] })
  }

  @Test func `the same seed gives the same order of launches`() {
    let orders = [1, 1, 2].map { seed in
      (0..<10).map { PairOrder(seed: seed).order(ofPair: $0, launches: 2) }
    }
    #expect(orders[0] == orders[1])
    #expect(orders[0] != orders[2])
  }
}
