import CoverCache
import Foundation
import Testing

@testable import BookWorkloads

struct CacheTraceTests {
  @Test(arguments: CacheTrace.allCases, [1, 3, 20, 1000])
  func `a trace has the requested length and requests existing books`(trace: CacheTrace, books: Int)
  {
    let requests = trace.requests(books: books, length: 5000, seed: 7)
    #expect(requests.count == 5000)
    #expect(requests.allSatisfy { (0..<books).contains($0) })
  }

  @Test(arguments: CacheTrace.allCases)
  func `equal seeds yield equal traces`(trace: CacheTrace) {
    let first = trace.requests(books: 200, length: 3000, seed: 7)
    #expect(first == trace.requests(books: 200, length: 3000, seed: 7))
    #expect(trace == .cyclic || first != trace.requests(books: 200, length: 3000, seed: 8))
  }

  @Test func `a Zipf trace requests its most popular book as often as the law predicts`() {
    // 1 / (1^-0.9 + ... + 100^-0.9) = 1 / 6.5 to two digits; 20,000 draws are within 1 point of it.
    let requests = CacheTrace.zipf.requests(books: 100, length: 20_000, seed: 3)
    let law = 1 / (1...100).reduce(0.0) { $0 + pow(Double($1), -0.9) }
    let counts = Dictionary(grouping: requests) { $0 }.mapValues(\.count)
    let share = Double(counts.values.max() ?? 0) / 20_000
    #expect(abs(share - law) < 0.01)
  }

  @Test func `every request of a cyclic trace misses an LRU tier`() throws {
    // Each book is evicted just before its next request; Belady keeps 20 of 100 books.
    let requests = CacheTrace.cyclic.requests(books: 100, length: 1000, seed: 7)
    #expect(try lruHits(requests, capacity: 20) == 0)
    #expect(OptimalCache.hits(requests, capacity: 20) == 9 * 20)
  }

  @Test func `an LRU tier answers most requests of a fling trace`() throws {
    let requests = CacheTrace.fling.requests(books: 1000, length: 5000, seed: 7)
    let optimum = OptimalCache.hits(requests, capacity: 200)
    let hits = try lruHits(requests, capacity: 200)
    // LRU keeps the visible books although they are not requested again, which Belady's optimum
    // avoids.
    #expect(hits < optimum)
    #expect(hits * 100 >= optimum * 90)
  }
}

/// Returns the number of requests that an LRU tier with a capacity answers.
private func lruHits(_ requests: [Int], capacity: Int) throws -> Int {
  let tier = MemoryPolicy.lru.makeTier(limits: TierLimits(count: capacity))
  let cover = try PixelBuffer(size: PixelSize(width: 1, height: 1)) { _ in }
  for book in requests where tier.cover(for: "\(book)") == nil {
    tier.insert(cover, for: "\(book)")
  }
  return tier.metrics.hitCount
}
