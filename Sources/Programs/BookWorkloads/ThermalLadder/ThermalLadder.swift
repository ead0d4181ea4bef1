internal import CoverCache
internal import LibraryStore
internal import PerfWorkload
internal import Synchronization

/// Loads covers all the time while the device becomes hot and cool again.
struct ThermalLadder: Workload {
  static let name = "book.thermal"
  static let summary = "Loads covers while the device becomes hot and cool again."
  static let parameters =
    DatasetRequest.parameters(books: 300) + [
      .double("stage", default: 1, in: 0.02...60, "Seconds that each thermal state lasts."),
      .int("loads", default: 3, in: 1...64, "Covers loaded at one time when it is cool."),
      .int("nice", default: 19, in: 0...19, "Nice value of the loader threads."),
      .bool("answered", default: true, "Whether the cache does less when it is hot."),
    ]
  static let counters: [CounterDeclaration] =
    ThermalState.allCases.map { state in
      CounterDeclaration(
        "thermal.loads.\(state.rawValue)", unit: .count, direction: .neutral,
        "Covers loaded while the device was in this state for the first time.")
    } + [
      CounterDeclaration(
        "thermal.loads.recovered", unit: .count, direction: .higher,
        "Covers loaded when the device was cool again."),
      CounterDeclaration(
        "thermal.most_bytes", unit: .bytes, direction: .lower,
        "The most bytes of covers held while the device was seriously hot."),
    ]

  private let keys: [String]
  private let cache: CoverCache
  private let stage: Duration
  private let isAnswered: Bool

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = try BookDataset(context)
    keys = try dataset.allBooks().compactMap(\.cover)
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = try parameters.int("loads")
    configuration.loaderNice = try parameters.int("nice")
    configuration.thumbnailSize = ShelfLayout.cover
    cache = try CoverCache(source: dataset.covers, configuration: configuration)
    stage = .seconds(try parameters.double("stage"))
    isAnswered = try parameters.bool("answered")
  }

  func measure(_ context: MeasurementContext) throws {
    var next = 0
    for state in ThermalState.allCases {
      let (loads, most) = load(in: state, from: &next)
      context.report("thermal.loads.\(state.rawValue)", loads)
      if state == .serious { context.report("thermal.most_bytes", most) }
    }
    context.report("thermal.loads.recovered", load(in: .nominal, from: &next).loads)
  }

  /// Keeps twelve covers asked for during one stage, one look each four milliseconds.
  private func load(in state: ThermalState, from next: inout Int) -> (loads: Int, mostBytes: Int) {
    if isAnswered { cache.respond(to: state) }
    guard !keys.isEmpty else { return (0, 0) }
    let before = cache.loadMetrics.finishedCount
    var requests: [CoverRequest] = []
    var most = 0
    let clock = FrameClock(refresh: 250, paced: true)
    Phase(named: state.rawValue).measure {
      clock.animate(state.rawValue, for: stage) { _ in
        requests.removeAll { $0.result != nil }
        let missing = (0..<(12 - requests.count)).map { keys[(next + $0) % keys.count] }
        next += missing.count
        requests += cache.request(missing)
        most = max(most, cache.metrics(of: .thumbnail).memoryUsage)
      }
    }
    cache.cancel(requests)
    return (cache.loadMetrics.finishedCount - before, most)
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    try BookDataset(context).setUp(context)
  }
}
