import CoverCache
import PerfTestSupport
import Testing

@Suite struct `a miss ratio curve` {
  @Test(arguments: AccessTrace.allCases)
  func `a miss ratio curve predicts the hits of an LRU cache of any capacity`(trace: AccessTrace)
    throws
  {
    let requests = trace.requests(books: 60, length: 1500, seed: 5)
    let curve = MissRatioCurve(requests)
    let cover = try PixelBuffer(size: PixelSize(width: 1, height: 1)) { _ in }
    for capacity in [0, 1, 2, 7, 30, 59, 60, 100] {
      let tier = MemoryPolicy.lru.makeTier(limits: TierLimits(count: capacity))
      for book in requests where tier.cover(for: "\(book)") == nil {
        tier.insert(cover, for: "\(book)")
      }
      #expect(curve.hits(capacity: capacity) == tier.metrics.hitCount)
    }
  }

  @Test func `with sizes a miss ratio curve measures capacities in bytes`() {
    // The distance between the two a is 10 + 5, because b is between them.
    let curve = MissRatioCurve([0, 1, 0]) { $0 == 0 ? 10 : 5 }
    #expect(curve.hits(capacity: 14) == 0)
    #expect(curve.hits(capacity: 15) == 1)
  }

  @Test(arguments: AccessTrace.allCases)
  func `a miss ratio curve predicts the hits of an LRU cache with two limits`(trace: AccessTrace)
    throws
  {
    let requests = trace.requests(books: 60, length: 1500, seed: 6)
    for (count, covers) in [(20, 10), (20, 20), (20, 40), (1, 60), (0, 60), (2000, 30)] {
      let curve = MissRatioCurve(requests, countLimit: count) { _ in 400 }
      let limits = TierLimits(count: count, bytes: covers * 400)
      let found = try hits(.lru, requests, limits, pixels: 100)
      #expect(curve.hits(capacity: covers * 400) == found)
    }
  }

  @Test func `the curve of an empty trace is flat`() {
    #expect(MissRatioCurve([]).hits(capacity: 10) == 0)
  }
}

@Suite struct `a tuner` {
  @Test func `a tuner divides a budget for the most hits`() {
    let tuner = CacheTuner()
    // Ten thumbnails of 100 bytes in a cycle need 1,000 bytes; three images of 1,000 need 3,000.
    for round in 0..<100 {
      tuner.note("\(round % 10)", in: .thumbnail, bytes: 100)
      tuner.note("\(round % 3)", in: .image, bytes: 1000)
    }
    let all = tuner.division(ofBytes: 6400)
    #expect(all[.thumbnail] == 1000)
    #expect(all[.image] == 3000)
    // When the budget is too small for both, thumbnails gain more hits per byte.
    #expect(tuner.division(ofBytes: 1920) == [.thumbnail: 1020])
  }

  @Test func `a tuner gives no bytes to hits on empty objects`() {
    let tuner = CacheTuner()
    for _ in 0..<3 { tuner.note("empty", in: .thumbnail, bytes: 0) }
    #expect(tuner.recommendation(ofBytes: 640) == [.thumbnail: 0])
  }

  @Test func `a tuner finds the best of all divisions`() {
    var random = SampleRandom(seed: 12)
    for _ in 0..<20 {
      let tuner = CacheTuner()
      var requests: [CoverKind: [Int]] = [:]
      let objects = Int.random(in: 2...30, using: &random)
      for _ in 0..<300 {
        let kind: CoverKind = random.chance(0.7) ? .thumbnail : .image
        let object = Int.random(in: 0..<objects, using: &random)
        requests[kind, default: []].append(object)
        tuner.note("\(object)", in: kind, bytes: kind == .image ? 70 : 10)
      }
      let thumbnails = MissRatioCurve(requests[.thumbnail, default: []]) { _ in 10 }
      let images = MissRatioCurve(requests[.image, default: []], countLimit: 4) { _ in 70 }
      func hits(_ division: [CoverKind: Int]) -> Int {
        thumbnails.hits(capacity: division[.thumbnail] ?? 0)
          + images.hits(capacity: division[.image] ?? 0)
      }
      let found = tuner.division(ofBytes: 640, counts: [.image: 4])
      let most = (0...64).map { hits([.thumbnail: $0 * 10, .image: 640 - $0 * 10]) }.max()
      #expect(hits(found) == most)
      #expect(found.values.reduce(0, +) <= 640)
    }
  }

  @Test func `a tuner assigns no bytes that a limit of objects leaves unused`() {
    let tuner = CacheTuner()
    // Twenty objects in a cycle: ten of them are as useless as one.
    for round in 0..<100 {
      tuner.note("\(round % 20)", in: .thumbnail, bytes: 100)
      tuner.note("\(round % 3)", in: .image, bytes: 1000)
    }
    #expect(tuner.division(ofBytes: 6400, counts: [.thumbnail: 10]) == [.image: 3000])
  }

  @Test func `a budget without room has an empty division`() {
    let tuner = CacheTuner()
    for _ in 0..<3 { tuner.note("a", in: .image, bytes: 10) }
    for budget in [-1, 0, 9] { #expect(tuner.division(ofBytes: budget) == [:]) }
    #expect(tuner.division(ofBytes: 10) == [.image: 10])
  }

  @Test func `a tuner gives nothing to objects that are requested once`() {
    let tuner = CacheTuner()
    for number in 0..<100 { tuner.note("\(number)", in: .image, bytes: 10) }
    #expect(tuner.division(ofBytes: 10_000) == [:])
  }

  @Test func `a recommendation leaves each tier the same headroom`() {
    let tuner = CacheTuner()
    // Ten thumbnails of 100 bytes need 1,000 bytes; three images of 1,000 need 3,000.
    for round in 0..<100 {
      tuner.note("\(round % 10)", in: .thumbnail, bytes: 100)
      tuner.note("\(round % 3)", in: .image, bytes: 1000)
    }
    #expect(tuner.recommendation(ofBytes: 12_800) == [.thumbnail: 3200, .image: 9600])
    // Half of 2,560 bytes hold the thumbnails, but not three images.
    #expect(tuner.recommendation(ofBytes: 2560) == [.thumbnail: 2560])
    #expect(tuner.recommendation(ofBytes: 0) == [:])
  }

  @Test func `a recommendation gives up headroom that costs more than a hundredth of the hits`() {
    for rounds in [1, 100] {
      let tuner = CacheTuner()
      // Ten thumbnails of 100 bytes need 1,000 bytes; three images of 1,000 need 3,000.
      for round in 0..<1000 { tuner.note("\(round % 10)", in: .thumbnail, bytes: 100) }
      for round in 0..<rounds + 3 { tuner.note("\(round % 3)", in: .image, bytes: 1000) }
      // Half of 4,200 bytes holds the thumbnails, but not three images. These would add 1 of 991 hits,
      // or 100 of 1,090. The whole holds both, in pieces of 65 bytes: 1,040 and 3,055 of 4,095.
      let expected: [CoverKind: Int] =
        rounds == 1 ? [.thumbnail: 4200] : [.thumbnail: 1066, .image: 3133]
      #expect(tuner.recommendation(ofBytes: 4200) == expected)
    }
  }

  @Test func `a tuner forgets requests outside its window`() {
    let tuner = CacheTuner(windowCount: 100)
    for _ in 0..<500 { tuner.note("a", in: .image, bytes: 640) }
    for number in 0..<200 { tuner.note("\(number % 2)", in: .thumbnail, bytes: 64) }
    for number in 0..<200 { tuner.note("new \(number)", in: .image, bytes: 640) }
    #expect(tuner.division(ofBytes: 6400) == [.thumbnail: 200])
  }

  @Test func `a tuner sets the byte limits of a cache`() throws {
    let cache = try CoverCache(source: GatedSource([:], isOpen: true))
    let tuner = CacheTuner()
    for round in 0..<100 { tuner.note("\(round % 10)", in: .thumbnail, bytes: 100) }
    tuner.tune(cache, toBytes: 6400)
    #expect(cache.limits(of: .thumbnail) == TierLimits(count: 200, bytes: 6400))
    #expect(cache.limits(of: .image) == TierLimits(count: 100, bytes: 50_000_000))
    // Images that are requested once get nothing, so that both tiers keep the budget.
    for number in 0..<100 { tuner.note("\(number)", in: .image, bytes: 1000) }
    tuner.tune(cache, toBytes: 6400)
    #expect(cache.limits(of: .thumbnail).bytes + cache.limits(of: .image).bytes == 6400)
  }
}
