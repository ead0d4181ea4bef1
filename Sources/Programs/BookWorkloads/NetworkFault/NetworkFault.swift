internal import CoverCache
internal import Dispatch
internal import PerfWorkload

/// Loads covers through a network that is late, fails, and asks to be left alone.
///
/// The network's time goes faster than the machine's, so that waits of seconds cost none.
struct NetworkFault: Workload {
  static let name = "book.network"
  static let summary = "Loads covers through a network that is late and unreliable."
  static let parameters: [ParameterDeclaration] = [
    .int("books", default: 100, in: 1...2_000, "Covers that are loaded."),
    .int("requests", default: 3, in: 1...10, "How often each is asked for while it is on its way."),
    .int("latency", default: 120, in: 1...10_000, "Median latency, in milliseconds."),
    .double("failures", default: 5, in: 0...100, "Requests that fail, in percent."),
    .double("overloads", default: 2, in: 0...100, "Requests that are answered 429, in percent."),
    .int("loads", default: 3, in: 1...64, "Covers loaded at one time."),
    .bool("joined", default: true, "Whether requests for one cover share a load."),
    .bool("retried", default: true, "Whether failed loads are tried again after 1, 2 and 4 s."),
    .double("speed", default: 20, in: 1...1_000, "Seconds of the network in one of the machine."),
  ]
  static let counters: [CounterDeclaration] =
    [
      CounterDeclaration(
        "network.requests", unit: .count, direction: .lower, "Requests that reached the network."),
      CounterDeclaration(
        "network.duplicates", unit: .count, direction: .lower,
        "Requests for a cover that was on its way or had come already."),
      CounterDeclaration(
        "network.concurrency", unit: .count, direction: .lower, "The most requests at one time."),
      CounterDeclaration(
        "network.time", unit: .nanoseconds, direction: .lower, scale: .ratio,
        "Time of the network from the first request to the last result."),
      CounterDeclaration(
        "loads.retried", unit: .count, direction: .neutral, "Loads that were tried again."),
      CounterDeclaration(
        "loads.failed", unit: .count, direction: .lower, "Loads that failed for good."),
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
    let clock = LoadClock.scaled(by: try parameters.double("speed"))
    var behaviour = SimulatedNetwork.Behaviour()
    behaviour.latency = .milliseconds(try parameters.int("latency"))
    behaviour.failurePercent = try parameters.double("failures")
    behaviour.overloadPercent = try parameters.double("overloads")
    let network = SimulatedNetwork(
      origin: OneCover(bytes: picture), behaviour: behaviour, seed: seed, clock: clock)
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = try parameters.int("loads")
    configuration.retry.seed = seed
    if try !parameters.bool("retried") { configuration.retry = .never }
    let observed = ObservedRetries(origin: network, clock: clock)
    let cache = try CoverCache(
      source: UnaliasedSource(origin: observed), configuration: configuration, clock: clock)
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

  /// Asks for every cover as often as it should, and waits for all results.
  private func load(through cache: CoverCache) throws {
    let group = DispatchGroup()
    let isJoined = try parameters.bool("joined")
    for book in 0..<(try parameters.int("books")) {
      for number in 0..<(try parameters.int("requests")) {
        group.enter()
        // A cache that does not join requests knows them by different names.
        let alias = isJoined ? "" : "\(UnaliasedSource.mark)\(number)"
        cache.request(BookGenerator.coverName(of: book) + alias) { _ in group.leave() }
      }
    }
    group.wait()
  }
}

/// A source that has one cover under all names.
private struct OneCover: CoverSource {
  let bytes: [UInt8]
  func encodedCover(for key: String) throws(CoverError) -> [UInt8] { bytes }
}

/// A source that takes what follows a mark for no part of a cover's name.
private struct UnaliasedSource: CoverSource {
  static let mark: Character = "#"
  let origin: any CoverSource

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    try origin.encodedCover(for: String(key.prefix { $0 != Self.mark }))
  }
}
