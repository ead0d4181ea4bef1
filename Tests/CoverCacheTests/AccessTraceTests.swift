import CoverCache
import Foundation
import Testing

@Suite struct `the optimal cache` {
  @Test func `the optimal cache answers every request that can be answered`() {
    // a and one of b and c are found again, because the cache of two must leave out b or c.
    #expect(OptimalCache.hits([0, 1, 2, 0, 1, 2], capacity: 2) == 2)
    #expect(OptimalCache.hits([0, 0, 0], capacity: 1) == 2)
    #expect(OptimalCache.hits([0, 1, 0, 1], capacity: 1) == 1)
    #expect(OptimalCache.hits([0, 1], capacity: 0) == 0)
    #expect(OptimalCache.hits([], capacity: 3) == 0)
  }

  @Test func `the optimal cache has as many hits as an exhaustive search`() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<60 {
      let requests = (0..<9).map { _ in random.below(4) }
      #expect(
        OptimalCache.hits(requests, capacity: 2) == bestHits(requests[...], held: [], capacity: 2))
    }
  }

  /// Returns the most hits of all possible choices at every miss.
  private func bestHits(_ requests: ArraySlice<Int>, held: Set<Int>, capacity: Int) -> Int {
    guard let object = requests.first else { return 0 }
    let rest = requests.dropFirst()
    if held.contains(object) { return 1 + bestHits(rest, held: held, capacity: capacity) }
    var best = bestHits(rest, held: held, capacity: capacity)
    let victims: [Int?] = held.count < capacity ? [nil] : held.map { $0 }
    for victim in victims {
      var changed = held
      if let victim { changed.remove(victim) }
      changed.insert(object)
      best = max(best, bestHits(rest, held: changed, capacity: capacity))
    }
    return best
  }
}

@Suite struct `a trace` {
  @Test(arguments: AccessTrace.allCases, [1, 3, 1000])
  func `a trace has the requested length and contains only existing books`(
    trace: AccessTrace, books: Int
  ) {
    let requests = trace.requests(books: books, length: 5000, seed: 7)
    #expect(requests.count == 5000)
    #expect(requests.allSatisfy { (0..<books).contains($0) })
    #expect(requests == trace.requests(books: books, length: 5000, seed: 7))
  }

  @Test func `cyclic and round-trip traces visit the books in order`() {
    #expect(AccessTrace.cyclic.requests(books: 3, length: 7, seed: 0) == [0, 1, 2, 0, 1, 2, 0])
    #expect(
      AccessTrace.roundTrips.requests(books: 3, length: 8, seed: 0) == [0, 1, 2, 2, 1, 0, 0, 1])
  }

  @Test func `a Zipf trace requests its most popular book as often as the law predicts`() {
    // 1 / (1^-0.9 + ... + 100^-0.9) = 1 / 6.5 to two digits; 20,000 draws are within 1 point of it.
    let requests = AccessTrace.zipf.requests(books: 100, length: 20_000, seed: 3)
    let law = 1 / (1...100).reduce(0.0) { $0 + pow(Double($1), -0.9) }
    let counts = Dictionary(grouping: requests) { $0 }.mapValues(\.count)
    let share = Double(counts.values.max() ?? 0) / 20_000
    #expect(abs(share - law) < 0.01)
  }

  @Test(arguments: [AccessTrace.fling, .zipf, .zipfWithScans])
  func `different seeds give different random traces`(trace: AccessTrace) {
    let first = trace.requests(books: 200, length: 3000, seed: 7)
    #expect(first != trace.requests(books: 200, length: 3000, seed: 8))
  }

  // 1,000 books and a capacity of 200; five passes and three round trips. An LRU cache hits nothing
  // in a cycle, and the last 200 books after each of five turns. The optimum is 200 books in each
  // of the four later passes, and the same 200 after each turn.
  @Test(arguments: [
    (AccessTrace.cyclic, 5000, 0, 800), (.roundTrips, 6000, 1000, 1000),
  ])
  func `deterministic traces have exactly the derived numbers of hits`(
    trace: AccessTrace, length: Int, lru: Int, optimum: Int
  ) throws {
    let requests = trace.requests(books: 1000, length: length, seed: 0)
    #expect(try hits(.lru, requests, TierLimits(count: 200)) == lru)
    #expect(OptimalCache.hits(requests, capacity: 200) == optimum)
  }

  // Hits in percent of an independent simulation of one trace of each kind, by policy. Its figures
  // differ from the mean of these six traces only by chance: the difference has the standard
  // deviation s * sqrt(1 + 1/6), with s the deviation of the six. The test allows 4 of those (t
  // with 5 degrees of freedom, p < 0.01) and 0.05 for rounding.
  @Test(arguments: [
    (AccessTrace.fling, 200, [MemoryPolicy.lru: 71.1, .sieve: 57.1], 71.1),
    (.fling, 100, [.lru: 50.4, .sieve: 38.1], 50.4),
    (.zipf, 200, [.lru: 61.0, .sieve: 67.0, .s3FIFO: 66.5], 78.9),
    (.zipfWithScans, 200, [.lru: 23.3, .sieve: 27.8, .s3FIFO: 26.9], 53.0),
  ])
  func `random traces have the hit ratios of an independent simulation`(
    trace: AccessTrace, capacity: Int, simulated: [MemoryPolicy: Double], optimum: Double
  ) throws {
    let traces = (0..<UInt64(6)).map { trace.requests(books: 1000, length: 20_000, seed: $0) }
    for (policy, figure) in simulated {
      let ratios = try traces.map {
        Double(try hits(policy, $0, TierLimits(count: capacity))) / 200
      }
      expect(ratios, near: figure, "\(policy)")
    }
    expect(
      traces.map { Double(OptimalCache.hits($0, capacity: capacity)) / 200 }, near: optimum,
      "Belady")
  }

  private func expect(_ ratios: [Double], near figure: Double, _ name: String) {
    let count = Double(ratios.count)
    let mean = ratios.reduce(0, +) / count
    let variance = ratios.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    let tolerance = 4 * (variance * (1 + 1 / count)).squareRoot() + 0.05
    #expect(abs(mean - figure) <= tolerance, "\(name): \(mean) instead of \(figure) ± \(tolerance)")
  }
}
