internal import CoverCache
internal import Foundation
internal import PerfModel

/// The hit ratios of the eviction policies, beside the figures that other projects publish.
extension ModulesBench {
  /// A published measurement: the requests, the capacity, and the hit ratios in percent.
  private struct Publication {
    let items: Int
    let exponent: Double
    /// Whether the requests are drawn by Gray's approximation of Zipf's law.
    var isApproximate = false
    let capacity: Int
    let requestCount: Int
    /// The policies that the publication measured too.
    let same: [MemoryPolicy: Double]
    /// The published figures, with their source.
    let text: String

    /// One row of the table in TinyUFO's README.md and of the list in its benchmark.
    static func tinyUFO(
      capacity: Int, lru: Double, readme: String, list: String
    ) -> Publication {
      Publication(
        items: 10_000, exponent: 1, capacity: capacity, requestCount: 5_000_000,
        same: [.lru: lru],
        text:
          "cloudflare/pingora, tinyufo/README.md: \(readme); benches/bench_hit_ratio.rs: \(list)")
    }
  }

  private static let publications: [Publication] = [
    .tinyUFO(
      capacity: 50, lru: 30.94, readme: "TinyUFO 45.26 %, lru 31.05 %, moka 45.59 %",
      list: "TinyUFO 45.08 %, lru 30.94 %, moka 45.57 %"),
    .tinyUFO(
      capacity: 100, lru: 39.02, readme: "TinyUFO 52.35 %, lru 39.16 %, moka 50.66 %",
      list: "TinyUFO 52.17 %, lru 39.02 %, moka 50.64 %"),
    .tinyUFO(
      capacity: 500, lru: 58.68, readme: "TinyUFO 68.89 %, lru 58.75 %, moka 66.98 %",
      list: "TinyUFO 68.77 %, lru 58.68 %, moka 66.88 %"),
    .tinyUFO(
      capacity: 1000, lru: 67.60, readme: "TinyUFO 75.98 %, lru 67.59 %, moka 74.39 %",
      list: "TinyUFO 75.91 %, lru 67.60 %, moka 74.22 %"),
    .tinyUFO(
      capacity: 2500, lru: 79.94, readme: "TinyUFO 85.34 %, lru 79.95 %, moka 84.39 %",
      list: "TinyUFO 85.28 %, lru 79.94 %, moka 84.35 %"),
    Publication(
      items: 500_000, exponent: 0.99, isApproximate: true, capacity: 500,
      requestCount: 7_500_000, same: [.lru: 36.59, .sieve: 47.42, .s3FIFO: 47.16],
      text: "scalalang2/golang-fifo, README.md, 16 threads: lru 36.57 %, sieve 47.66 %, "
        + "s3-fifo 47.17 %, tinylfu 47.37 %; scalalang2/go-cache-benchmark, README.md, 1 thread: "
        + "lru 36.59 %, sieve 47.42 %, s3-fifo 47.16 %, tinylfu 47.37 %"),
  ]

  /// The largest distance from a published figure of the same policy, in percentage points.
  private static let tolerance = 0.3

  func publishedHits(_ table: FigureTable) throws {
    for publication in Self.publications {
      let requests = Self.requests(of: publication)
      let keys = (0...publication.items).map { "\($0)" }
      var percents: [MemoryPolicy: Double] = [:]
      for policy in MemoryPolicy.bounded {
        let tier = policy.makeTier(limits: TierLimits(count: publication.capacity))
        let cover = try PixelBuffer(size: PixelSize(width: 1, height: 1)) { _ in }
        for item in requests where tier.cover(for: keys[item]) == nil {
          tier.insert(cover, for: keys[item])
        }
        percents[policy] = 100 * tier.metrics.hitRatio
      }
      let figures = MemoryPolicy.bounded.map { policy in
        "\(policy.rawValue) \(NumberFormat.significant(percents[policy] ?? 0, digits: 4)) %"
      }
      let names = publication.same.keys.map(\.rawValue).sorted().joined(separator: ", ")
      let distance = publication.same.map { abs((percents[$0.key] ?? 0) - $0.value) }.max() ?? 0
      table.add(
        "hit ratio, Zipf \(NumberFormat.significant(publication.exponent, digits: 2)), "
          + "\(publication.capacity) of \(publication.items) objects, "
          + "\(publication.requestCount) requests",
        target: "\(names) within \(Self.tolerance) points of the published figure",
        measured: figures.joined(separator: "; "), peer: publication.text,
        isMet: distance <= Self.tolerance)
    }
  }

  private static func requests(of publication: Publication) -> [Int] {
    // The approximation draws from one item more than its benchmark names.
    let law = ZipfLaw(
      ranks: publication.items + (publication.isApproximate ? 1 : 0),
      exponent: publication.exponent)
    var random = SeededRandom(seed: 1)
    return (0..<publication.requestCount).map { _ in
      publication.isApproximate
        ? law.approximateRank(at: random.unit()) : law.rank(at: random.unit())
    }
  }
}
