internal import CoverCache
internal import Dispatch
internal import PerfWorkload

/// Loads covers through a network that is slow, fails and limits requests.
///
/// The network's clock runs faster than the machine's, so that long waits take little time.
struct NetworkFault: Workload {
  static let name = "book.network"
  static let summary = "Loads covers through a slow and unreliable network."
  static let books = Parameter("books", default: 100, in: 1...2_000, "Covers to load.")
  static let requests = Parameter(
    "requests", default: 3, in: 1...10, "Concurrent requests per cover.")
  static let latency = Parameter(
    "latency", default: 120, in: 1...10_000, "Median latency, in milliseconds.")
  static let failures = Parameter(
    "failures", default: 5.0, in: 0...100, "Percentage of failing requests.")
  static let overloads = Parameter(
    "overloads", default: 2.0, in: 0...100, "Percentage of requests that get the status 429.")
  static let loads = Parameter(
    "loads", default: 3, in: 1...64, "Covers that are loaded concurrently.")
  static let joined = Parameter(
    "joined", default: true, "Whether requests for the same cover share a load.")
  static let retried = Parameter(
    "retried", default: true, "Whether failed loads are retried after 1, 2 and 4 s.")
  static let speed = Parameter(
    "speed", default: 20.0, in: 1...1_000, "Seconds on the network's clock per second.")
  static let parameters: [any WorkloadParameter] = [
    books, requests, latency, failures, overloads, loads, joined, retried, speed,
  ]
  static let counters: [CounterDeclaration] =
    [
      .count("network.requests", .lower, "Requests that reached the network."),
      .count("network.duplicates", .lower, "Requests for a cover that was loading or loaded."),
      .count("network.concurrency", .lower, "Largest number of concurrent requests."),
      .time(
        "network.time", .lower, scale: .ratio,
        "Time on the network's clock from the first request to the last result."),
      .count("loads.retried", .neutral, "Loads that were retried."),
      .count("loads.failed", .lower, "Loads that failed after all retries."),
    ] + ObservedRetries.counters

  private let parameters: ParameterValues
  private let seed: UInt64
  private let picture: [UInt8]

  init(_ context: PreparationContext) throws {
    parameters = context.parameters
    seed = context.seed
    let cover = try PixelBuffer(size: PixelSize(width: 200, height: 300)) { bytes in
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index / 800) }
    }
    picture = try JPEGEncoder().encode(cover)
  }

  func measure(_ context: MeasurementContext) throws {
    let clock = LoadClock.scaled(by: parameters[Self.speed])
    var behaviour = SimulatedNetwork.Behaviour()
    behaviour.latency = .milliseconds(parameters[Self.latency])
    behaviour.failurePercent = parameters[Self.failures]
    behaviour.overloadPercent = parameters[Self.overloads]
    let network = SimulatedNetwork(
      origin: DerivedCovers { [picture] _ in picture }, behaviour: behaviour, seed: seed,
      clock: clock)
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = parameters[Self.loads]
    configuration.retry.seed = seed
    if !parameters[Self.retried] { configuration.retry = .never }
    let observed = ObservedRetries(origin: network, clock: clock)
    let source = DerivedCovers { key throws(CoverError) in
      try observed.encodedCover(for: String(key.prefix { $0 != "#" }))
    }
    let cache = try CoverCache(source: source, configuration: configuration, clock: clock)
    let began = clock.now()
    try load(through: cache)
    context.report("network.time", (clock.now() - began).nanoseconds)
    context.report("network.requests", network.metrics.requestCount)
    context.report("network.duplicates", network.metrics.duplicateCount)
    context.report("network.concurrency", network.metrics.highestConcurrency)
    context.report("loads.retried", cache.loadMetrics.retriedCount)
    context.report("loads.failed", cache.loadMetrics.failedCount)
    observed.report(to: context)
  }

  /// Requests every cover the given number of times and waits for all results.
  private func load(through cache: CoverCache) throws {
    let group = DispatchGroup()
    let isJoined = parameters[Self.joined]
    for book in 0..<parameters[Self.books] {
      for number in 0..<parameters[Self.requests] {
        group.enter()
        // Different names keep the cache from joining requests; the source ignores the alias.
        let alias = isJoined ? "" : "#\(number)"
        cache.request(BookGenerator.coverName(of: book) + alias) { _ in group.leave() }
      }
    }
    group.wait()
  }
}
