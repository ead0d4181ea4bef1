import CoverCache
import PerfTestSupport
import Testing

@Suite struct `a miss ratio curve` {
  @Test(arguments: AccessTrace.allCases)
  func `says what an LRU cache of any capacity finds`(trace: AccessTrace) throws {
    let requests = trace.requests(books: 60, length: 1500, seed: 5)
    let curve = MissRatioCurve(requests)
    let cover = try PixelBuffer(size: PixelSize(width: 1, height: 1)) { _ in }
    for capacity in [0, 1, 2, 7, 30, 59, 60, 100] {
      let tier = MemoryPolicy.lru.makeTier(limits: TierLimits(count: capacity))
      for book in requests where tier.cover(for: "\(book)") == nil {
        tier.insert(cover, for: "\(book)")
      }
      #expect(curve.hits(capacity: capacity) == tier.metrics.hitCount)
      #expect(curve.hitRatio(capacity: capacity) == tier.metrics.hitRatio)
    }
  }

  @Test func `has distances in bytes where it is given sizes`() {
    // a b a: between the two a lies b, so a is found where a and b fit: 10 + 5.
    let curve = MissRatioCurve([0, 1, 0]) { $0 == 0 ? 10 : 5 }
    #expect(curve.hits(capacity: 14) == 0)
    #expect(curve.hits(capacity: 15) == 1)
  }

  @Test func `knows the smallest capacity that answers enough`() {
    // Distances 1, 2 and 3: a a, a b a -> 2, a b c a -> 3.
    let curve = MissRatioCurve([0, 0, 1, 0, 1, 2, 0])
    #expect(curve.capacity(answering: 0) == 0)
    #expect(curve.capacity(answering: 0.25) == 1)
    #expect(curve.capacity(answering: 0.75) == 2)
    #expect(curve.capacity(answering: 1) == 3)
  }

  @Test func `is flat when nothing was asked for`() {
    #expect(MissRatioCurve([]).hitRatio(capacity: 10) == 0)
    #expect(MissRatioCurve([]).capacity(answering: 1) == 0)
  }
}

@Suite struct `a tuner` {
  @Test func `gives each tier what brings most hits`() {
    let tuner = CacheTuner()
    // Ten thumbnails of 100 bytes in a cycle need 1,000 bytes; three images of 1,000 need 3,000.
    for round in 0..<100 {
      tuner.note("\(round % 10)", in: .thumbnail, bytes: 100)
      tuner.note("\(round % 3)", in: .image, bytes: 1000)
    }
    let all = tuner.division(ofBytes: 6400)
    #expect(all[.thumbnail] == 1000)
    #expect(all[.image] == 3000)
    // With too little for both, a byte brings more to the thumbnails.
    #expect(tuner.division(ofBytes: 1920) == [.thumbnail: 1020])
  }

  @Test func `gives nothing to what is never asked for again`() {
    let tuner = CacheTuner()
    for number in 0..<100 { tuner.note("\(number)", in: .image, bytes: 10) }
    #expect(tuner.division(ofBytes: 10_000) == [:])
  }

  @Test func `forgets what was long ago`() {
    let tuner = CacheTuner(windowCount: 100)
    for _ in 0..<500 { tuner.note("a", in: .image, bytes: 640) }
    for number in 0..<200 { tuner.note("\(number % 2)", in: .thumbnail, bytes: 64) }
    for number in 0..<200 { tuner.note("new \(number)", in: .image, bytes: 640) }
    #expect(tuner.division(ofBytes: 6400) == [.thumbnail: 200])
  }

  @Test func `sets the limits of a cache`() throws {
    let cache = try CoverCache(source: GatedSource([:], isOpen: true))
    let tuner = CacheTuner()
    for round in 0..<100 { tuner.note("\(round % 10)", in: .thumbnail, bytes: 100) }
    tuner.tune(cache, toBytes: 6400)
    #expect(cache.limits(of: .thumbnail) == TierLimits(count: 200, bytes: 1000))
    #expect(cache.limits(of: .image) == TierLimits(count: 100, bytes: 50_000_000))
  }
}
