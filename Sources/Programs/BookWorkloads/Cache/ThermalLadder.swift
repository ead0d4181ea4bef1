internal import CoverCache
internal import LibraryStore
internal import PerfWorkload
internal import Synchronization

/// Loads covers continuously while the device heats up and cools down.
struct ThermalLadder: LibraryWorkload {
  static let name = "book.thermal"
  static let summary = "Loads covers while the device heats up and cools down."
  static let stage = Parameter("stage", default: 1.0, in: 0.02...60, "Seconds per thermal state.")
  static let loads = Parameter(
    "loads", default: 3, in: 1...64, "Covers that are loaded concurrently in the nominal state.")
  static let answered = Parameter(
    "answered", default: true, "Whether the cache reduces its work in hot states.")
  static let parameters: [any WorkloadParameter] =
    DatasetRequest.parameters(books: 300) + [stage, loads, nice, answered]
  static let counters: [CounterDeclaration] =
    ThermalState.allCases.map { state in
      CounterDeclaration.count(
        "thermal.loads.\(state.rawValue)", .neutral,
        "Covers that were loaded while the device was first in this state.")
    } + [
      .count(
        "thermal.loads.recovered", .higher,
        "Covers that were loaded after the device had cooled down."),
      .bytes(
        "thermal.most_bytes", .lower, "Largest size of the covers in memory in the serious state."),
    ]

  private let keys: [String]
  private let cache: CoverCache
  private let stage: Duration
  private let isAnswered: Bool

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let dataset = BookDataset(context)
    keys = try dataset.allBooks().compactMap(\.cover)
    var configuration = CoverCacheConfiguration()
    configuration.concurrentLoads = parameters[Self.loads]
    configuration.loaderNice = parameters[Self.nice]
    configuration.thumbnailSize = ShelfLayout.cover
    cache = try CoverCache(source: dataset.covers, configuration: configuration)
    stage = .seconds(parameters[Self.stage])
    isAnswered = parameters[Self.answered]
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

  /// Keeps twelve requests pending during a stage, and checks them every four milliseconds.
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
}
