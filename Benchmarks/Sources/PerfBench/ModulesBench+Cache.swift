internal import CoverCache
internal import Foundation
internal import PerfModel
internal import PerfStatistics
internal import Synchronization

/// The time of a cache hit, the contention of two threads, the hit ratios and the byte limit.
extension ModulesBench {
  private static let heldCount = 200
  private static let lookUps = 1_000_000

  func cache(_ table: FigureTable) throws {
    try hits(table)
    try contention(table)
    try shares(table)
    try publishedHits(table)
    try limit(table)
  }

  // MARK: - Time

  private func hits(_ table: FigureTable) throws {
    let short = (0..<Self.heldCount).map { "\(9_780_140_449_136 + $0)" }
    let long = short.map { "covers/b/isbn/\($0)-L.jpg?default=false&width=400" }
    var candidates: [(name: String, measure: () throws -> Double)] = []
    for policy in MemoryPolicy.allCases {
      candidates.append((policy.rawValue, { try Self.hitTime(policy, keys: short) }))
    }
    candidates.append(("lru, long", { try Self.hitTime(.lru, keys: long) }))
    let times = try interleaved(candidates)
    let lru = times["lru"] ?? []
    let others = MemoryPolicy.bounded.filter { $0 != .lru } + [.nsCache, .dictionary]
    table.add(
      "cache hit, LRU, one thread, keys of 13 bytes", target: "<= 60 ns",
      measured: try Self.text(lru, unit: "ns"),
      peer: try others.map { policy in
        "\(policy.rawValue) \(try Self.text(times[policy.rawValue] ?? [], unit: "ns"))"
      }.joined(separator: "; "),
      isMet: lru.median <= 60)
    table.add(
      "cache hit, LRU, one thread, keys of 47 bytes",
      measured: try Self.text(times["lru, long"] ?? [], unit: "ns"))
  }

  private static func hitTime(_ policy: MemoryPolicy, keys: [String]) throws -> Double {
    let tier = try full(policy, keys: keys)
    return lookUp([(tier, keys)], count: policy == .nsCache ? lookUps / 8 : lookUps)
  }

  private func contention(_ table: FigureTable) throws {
    let keys = (0..<Self.heldCount).map { "\(9_780_140_449_136 + $0)" }
    let halves = [Array(keys[..<(Self.heldCount / 2)]), Array(keys[(Self.heldCount / 2)...])]
    // The throughput of two threads divided by that of one, measured one after the other.
    func gain(
      _ policy: MemoryPolicy, count: Int = Self.lookUps, _ load: ([any MemoryTier]) -> [Load]
    ) throws -> Double {
      let tiers = [try Self.full(policy, keys: keys), try Self.full(policy, keys: keys)]
      let loads = load(tiers)
      let alone = Self.lookUp([loads[0]], count: count)
      return 2 * alone / Self.lookUp(loads, count: count)
    }
    let gains = try interleaved([
      ("own", { try gain(.lru) { [($0[0], halves[0]), ($0[0], halves[1])] } }),
      ("same", { try gain(.lru) { [($0[0], keys), ($0[0], keys)] } }),
      ("private", { try gain(.lru) { [($0[0], keys), ($0[1], keys)] } }),
      (
        "dictionary",
        { try gain(.dictionary) { [($0[0], halves[0]), ($0[0], halves[1])] } }
      ),
      (
        "nscache",
        {
          try gain(.nsCache, count: Self.lookUps / 8) {
            [($0[0], halves[0]), ($0[0], halves[1])]
          }
        }
      ),
    ])
    let own = gains["own"] ?? []
    let ceiling = try Self.text(gains["private"] ?? [], unit: "x")
    table.add(
      "two threads look up separate covers in one tier", target: ">= 1.5 x one thread",
      measured: try Self.text(own, unit: "x"),
      peer: "one tier per thread \(ceiling); dictionary with one lock "
        + "\(try Self.text(gains["dictionary"] ?? [], unit: "x")); "
        + "nscache \(try Self.text(gains["nscache"] ?? [], unit: "x"))",
      isMet: own.median >= 1.5)
    table.add(
      "two threads look up the same covers and share their reference counts",
      measured: try Self.text(gains["same"] ?? [], unit: "x"))
  }

  private typealias Load = (tier: any MemoryTier, keys: [String])

  /// Returns the nanoseconds per look-up of each of several concurrent threads.
  private static func lookUp(_ loads: [Load], count: Int) -> Double {
    let missed = Atomic<Int>(0)
    let began = ContinuousClock.now
    DispatchQueue.concurrentPerform(iterations: loads.count) { index in
      let (tier, keys) = loads[index]
      var random = SeededRandom(seed: UInt64(index))
      var found = 0
      for _ in 0..<count where tier.cover(for: keys[random.below(keys.count)]) != nil { found += 1 }
      missed.add(count - found, ordering: .relaxed)
    }
    let elapsed = ContinuousClock.now - began
    precondition(missed.load(ordering: .relaxed) == 0, "a full tier missed a cover")
    let (seconds, attoseconds) = elapsed.components
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
  }

  private static func full(_ policy: MemoryPolicy, keys: [String]) throws -> any MemoryTier {
    let tier = policy.makeTier(limits: TierLimits(count: keys.count))
    for key in keys {
      tier.insert(try PixelBuffer(size: PixelSize(width: 20, height: 30)) { _ in }, for: key)
    }
    return tier
  }

  // MARK: - Hits

  private func shares(_ table: FigureTable) throws {
    let targets: [(AccessTrace, MemoryPolicy, Double)] = [
      (.fling, .lru, 0.98), (.zipf, .sieve, 0.84),
    ]
    for (trace, policy, target) in targets {
      var shares: [MemoryPolicy: [Double]] = [:]
      var optima: [Double] = []
      for seed in 0..<UInt64(6) {
        let requests = trace.requests(books: 1000, length: 20_000, seed: seed)
        let optimum = OptimalCache.hits(requests, capacity: Self.heldCount)
        optima.append(Double(optimum) / Double(requests.count))
        for other in MemoryPolicy.bounded + [.nsCache] {
          let hits = try Self.hits(of: other, requests)
          shares[other, default: []].append(Double(hits) / Double(max(1, optimum)))
        }
      }
      let share = shares[policy] ?? []
      let others = (MemoryPolicy.bounded + [.nsCache]).filter { $0 != policy }
      table.add(
        "\(policy.rawValue) on the \(trace.rawValue) trace, of Belady's hits",
        target: ">= \(NumberFormat.human(target, .ratio))",
        measured: "\(try AuditSummary.text(share, .ratio)), Belady's hit ratio "
          + "\(NumberFormat.human(optima.median, .ratio)), 6 seeds",
        peer: others.map { other in
          "\(other.rawValue) \(NumberFormat.human((shares[other] ?? []).median, .ratio))"
        }.joined(separator: "; "),
        isMet: share.median >= target)
    }
  }

  private static func hits(of policy: MemoryPolicy, _ requests: [Int]) throws -> Int {
    let tier = policy.makeTier(limits: TierLimits(count: heldCount))
    let cover = try PixelBuffer(size: PixelSize(width: 1, height: 1)) { _ in }
    for book in requests where tier.cover(for: "\(book)") == nil {
      tier.insert(cover, for: "\(book)")
    }
    return tier.metrics.hitCount
  }

  // MARK: - The limit

  /// Measures the largest size of a tier while two threads load covers and a third observes it.
  private func limit(_ table: FigureTable) throws {
    let limit = 100 * 1024 * 1024
    var most: [String: Int] = [:]
    for policy in MemoryPolicy.bounded {
      most[policy.rawValue] = try Self.mostHeld(policy, .bytes, limit: limit)
    }
    let worst = most.values.max() ?? 0
    table.add(
      "bytes in use and reserved with a limit of 100 MiB, at any instant",
      target: "<= the limit",
      measured: "at most \(NumberFormat.human(Double(worst), .size))",
      peer: "cost in pixels "
        + NumberFormat.human(Double(try Self.mostHeld(.lru, .pixels, limit: limit)), .size)
        + "; no cost, 500 covers "
        + NumberFormat.human(Double(try Self.mostHeld(.lru, .none, limit: limit)), .size),
      isMet: worst <= limit)
  }

  private static func mostHeld(
    _ policy: MemoryPolicy, _ cost: CoverCost, limit: Int
  ) throws -> Int {
    let tier = policy.makeTier(limits: TierLimits(count: 500, bytes: limit), cost: cost)
    let most = Atomic<Int>(0)
    let loading = Atomic<Int>(2)
    DispatchQueue.concurrentPerform(iterations: 3) { index in
      guard index < 2 else {
        while loading.load(ordering: .relaxed) > 0 {
          let metrics = tier.metrics
          most.max(metrics.memoryUsage + metrics.reservedBytes, ordering: .relaxed)
        }
        return
      }
      var random = SeededRandom(seed: UInt64(index))
      for _ in 0..<1500 {
        // Pages without writes take no memory; only the tier's accounting matters here.
        let width = 200 + random.below(800)
        let size = PixelSize(width: width, height: width * 3 / 2)
        let key = "\(random.below(1000))"
        guard tier.cover(for: key) == nil, tier.reserve(size) else { continue }
        guard let cover = try? PixelBuffer(size: size, fill: { _ in }) else {
          tier.release(size)
          continue
        }
        tier.insert(cover, for: key, reserved: size)
      }
      loading.subtract(1, ordering: .relaxed)
    }
    return most.load(ordering: .relaxed)
  }

  private static func text(_ values: [Double], unit: String) throws -> String {
    let estimate = try Quantiles.estimate(0.5, of: values)
    let bounds = [estimate.low, estimate.high].map { bound in
      bound.map { NumberFormat.significant($0, digits: 3) } ?? "open"
    }
    return "\(NumberFormat.significant(estimate.value, digits: 3)) \(unit) "
      + "[\(bounds.joined(separator: ", "))]"
  }
}
