internal import CoverCache

/// A division of a budget of bytes between thumbnails and pages.
struct TierDivision: Equatable {
  let thumbnails: Int
  let pages: Int

  var bytes: Int { thumbnails + pages }
}

extension TierDivision {
  /// Reads the division of a tuner.
  init(_ bytes: [CoverKind: Int]) {
    self.init(thumbnails: bytes[.thumbnail] ?? 0, pages: bytes[.image] ?? 0)
  }
}

/// A session of thumbnails and pages, the first half of which is recorded to tune the second.
struct TunedSession {
  /// The hits of the second half, and the largest size of both tiers in it.
  struct Outcome {
    let hitCount: Int
    let mostBytes: Int
  }

  /// A request with its key, which is made once for all replays.
  private typealias KeyedRequest = (request: ClassedRequest, key: String)

  private let recorded: ArraySlice<KeyedRequest>
  private let measured: ArraySlice<KeyedRequest>
  private let objects: Int
  /// One cover of each size serves all requests, so that a replay takes no memory of its own.
  private let covers: [AccessClass: PixelBuffer]

  /// Creates a session without the photos of the settings, which no tier holds.
  ///
  /// `objects` limits the number of objects per tier.
  init(_ requests: [ClassedRequest], objects: Int) throws(CoverError) {
    let requests: [KeyedRequest] = requests.filter { $0.use != .settings }
      .map { (request: $0, key: $0.key) }
    recorded = requests.prefix(requests.count / 2)
    measured = requests.dropFirst(requests.count / 2)
    self.objects = objects
    var covers: [AccessClass: PixelBuffer] = [:]
    for (request, _) in requests where covers[request.use] == nil {
      covers[request.use] = try PixelBuffer(size: request.size) { _ in }
    }
    self.covers = covers
  }

  var measuredCount: Int { measured.count }

  /// Returns the divisions that a tuner recommends after the recorded half, and that would have been
  /// best for it.
  func tuned(ofBytes budget: Int) -> (recommended: TierDivision, exact: TierDivision) {
    let tuner = CacheTuner()
    for (request, key) in recorded {
      tuner.note(key, in: request.use.kind, bytes: request.bytes)
    }
    let counts: [CoverKind: Int] = [.thumbnail: objects, .image: objects]
    return (
      recommended: TierDivision(tuner.recommendation(ofBytes: budget, counts: counts)),
      exact: TierDivision(tuner.division(ofBytes: budget, counts: counts))
    )
  }

  /// Returns the hit ratio of the recorded half that its miss ratio curves predict.
  func predictedHitRatio(_ division: TierDivision) -> Double {
    var hits = 0
    for use in [AccessClass.grid, .page] {
      let requests = recorded.map(\.request).filter { $0.use == use }
      let curve = MissRatioCurve(requests.map(\.photo), countLimit: objects) { _ in
        requests.first?.bytes ?? 0
      }
      hits += curve.hits(capacity: use == .grid ? division.thumbnails : division.pages)
    }
    return Double(hits) / Double(max(1, recorded.count))
  }

  /// Replays the recorded half in empty tiers and returns its hit ratio.
  func recordedHitRatio(_ division: TierDivision) -> Double {
    let tiers = makeTiers(division)
    replay(recorded, in: tiers)
    return Double(Self.hitCount(tiers)) / Double(max(1, recorded.count))
  }

  /// Replays the session under one division and, from its middle on, under another.
  func outcome(_ division: TierDivision, after first: TierDivision) -> Outcome {
    let tiers = makeTiers(first)
    replay(recorded, in: tiers)
    let hitsBefore = Self.hitCount(tiers)
    tiers[.grid]?.setLimits(TierLimits(count: objects, bytes: division.thumbnails))
    tiers[.page]?.setLimits(TierLimits(count: objects, bytes: division.pages))
    replay(measured, in: tiers)
    // The size of a tier never falls, because each evicted photo makes room for one of its size.
    let mostBytes = tiers.values.reduce(0) { $0 + $1.metrics.memoryUsage }
    return Outcome(hitCount: Self.hitCount(tiers) - hitsBefore, mostBytes: mostBytes)
  }

  /// Returns the division of a budget by pieces that has the most hits in the second half.
  ///
  /// Each division is replayed. All bytes are assigned, since more bytes never cost a hit. Of equally
  /// good divisions it is the one with the fewest bytes for thumbnails.
  func best(
    ofBytes budget: Int, pieces: Int, after first: TierDivision
  ) -> (division: TierDivision, hitCount: Int) {
    var best = (division: first, hitCount: -1)
    for count in 0...pieces {
      let thumbnails = budget * count / pieces
      let division = TierDivision(thumbnails: thumbnails, pages: budget - thumbnails)
      let hits = outcome(division, after: first).hitCount
      if hits > best.hitCount { best = (division, hits) }
    }
    return best
  }

  private func makeTiers(_ division: TierDivision) -> [AccessClass: any MemoryTier] {
    let lru = MemoryPolicy.lru
    return [
      .grid: lru.makeTier(limits: TierLimits(count: objects, bytes: division.thumbnails)),
      .page: lru.makeTier(limits: TierLimits(count: objects, bytes: division.pages)),
    ]
  }

  private func replay(
    _ requests: ArraySlice<KeyedRequest>, in tiers: [AccessClass: any MemoryTier]
  ) {
    for (request, key) in requests {
      guard let tier = tiers[request.use], let cover = covers[request.use] else { continue }
      if tier.cover(for: key) == nil { tier.insert(cover, for: key) }
    }
  }

  private static func hitCount(_ tiers: [AccessClass: any MemoryTier]) -> Int {
    tiers.values.reduce(0) { $0 + $1.metrics.hitCount }
  }
}

extension ClassedRequest {
  /// The bytes of the decoded photo.
  var bytes: Int { size.width * size.height * 4 }
}

extension AccessClass {
  /// The tier of a photo that is held in memory.
  fileprivate var kind: CoverKind { self == .grid ? .thumbnail : .image }
}
