import PerfStatistics
import Testing

struct PairOrderTests {
  @Test func `each pair has as many launches of either side, in an order of its own`() {
    let order = PairOrder(seed: 1)
    let pairs = (0..<40).map { order.order(ofPair: $0, launches: 4) }
    #expect(pairs.allSatisfy { $0.count == 8 && $0.count { $0 } == 4 })
    #expect(Set(pairs).count > 20)
    // The first of a pair is of either side about as often: 40 tosses give 8 to 32 all but never
    // (two-sided binomial p < 0.0002 outside).
    #expect(8...32 ~= pairs.count { $0[0] })
  }

  @Test func `the same seed gives the same order`() {
    let orders = [1, 1, 2].map { seed in
      (0..<10).map { PairOrder(seed: seed).order(ofPair: $0, launches: 2) }
    }
    #expect(orders[0] == orders[1])
    #expect(orders[0] != orders[2])
  }
}
