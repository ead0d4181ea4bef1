import CoverCache
import Testing

/// Hit ratios of other projects' benchmarks, in percent, and the requests that give them.
struct PublishedFigure: CustomTestStringConvertible {
  let policy: MemoryPolicy
  let items: Int
  let exponent: Double
  var isApproximate = false
  let capacity: Int
  let percent: Double
  /// The number of requests of the benchmark.
  let length: Int

  var testDescription: String { "\(policy) with \(capacity) of \(items)" }

  func requests(count: Int, seed: UInt64) -> [Int] {
    // The second benchmark draws from one item more than it names.
    let law = ZipfLaw(ranks: items + (isApproximate ? 1 : 0), exponent: exponent)
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in
      isApproximate ? law.approximateRank(at: random.unit()) : law.rank(at: random.unit())
    }
  }
}

@Suite struct `published hit ratios` {
  private static let batchCount = 20
  private static let batch = 2000

  // LRU column of github.com/cloudflare/pingora, tinyufo/benches/bench_hit_ratio.rs (2025), and
  // github.com/scalalang2/go-cache-benchmark, README.md.
  static let figures = [
    PublishedFigure(
      policy: .lru, items: 10_000, exponent: 1, capacity: 50, percent: 30.94, length: 5_000_000),
    PublishedFigure(
      policy: .lru, items: 10_000, exponent: 1, capacity: 500, percent: 58.68, length: 5_000_000),
    PublishedFigure(
      policy: .lru, items: 10_000, exponent: 0.9, capacity: 100, percent: 26.14,
      length: 5_000_000),
    PublishedFigure(
      policy: .lru, items: 500_000, exponent: 0.99, isApproximate: true, capacity: 500,
      percent: 36.59, length: 7_500_000),
    PublishedFigure(
      policy: .s3FIFO, items: 500_000, exponent: 0.99, isApproximate: true, capacity: 500,
      percent: 47.16, length: 7_500_000),
  ]

  // After as many requests to fill the cache, the mean of 20 batches has a standard error that
  // includes the dependence of successive requests. The published run has its own, smaller by the
  // root of its length. The test allows 4 of them together (t with 19 degrees of freedom, p < 0.001)
  // and 0.005 for rounding.
  @Test(arguments: figures)
  func `the hit ratios of other projects are reproduced within the sampling error`(
    figure: PublishedFigure
  ) throws {
    let tier = figure.policy.makeTier(limits: TierLimits(count: figure.capacity))
    let cover = try PixelBuffer(size: PixelSize(width: 1, height: 1)) { _ in }
    let requests = figure.requests(count: 2 * Self.batchCount * Self.batch, seed: 5)
    var ratios: [Double] = []
    var hitsBefore = 0
    for start in stride(from: 0, to: requests.count, by: Self.batch) {
      for item in requests[start..<start + Self.batch] where tier.cover(for: "\(item)") == nil {
        tier.insert(cover, for: "\(item)")
      }
      let hits = tier.metrics.hitCount
      ratios.append(100 * Double(hits - hitsBefore) / Double(Self.batch))
      hitsBefore = hits
    }
    let measured = ratios.suffix(Self.batchCount)
    let count = Double(Self.batchCount)
    let mean = measured.reduce(0, +) / count
    let variance = measured.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    let batches = 1 / count + Double(Self.batch) / Double(figure.length)
    let tolerance = 4 * (variance * batches).squareRoot() + 0.005
    #expect(abs(mean - figure.percent) <= tolerance, "\(mean) ± \(tolerance)")
  }
}
