internal import CoverCache
internal import PerfWorkload

/// Divides a cache between thumbnails and pages, and compares the division with the best one.
struct CacheTuning: Workload {
  /// The way in which the budget is divided in the middle of the session.
  enum Division: String, CaseIterable {
    /// A third for thumbnails and the rest for pages, as in the case study.
    case fixed
    /// The recommendation of the tuner after the first half of the session.
    case tuned
    /// The best division of the first half, without the headroom of a recommendation.
    case exact
    /// The best of all divisions of the second half, which no cache can know in advance.
    case best
  }

  static let name = "book.tuning"
  static let summary =
    "Divides a cache between thumbnails and pages by default, by its tuner or by trying all ways."
  static let photos = Parameter("photos", default: 2_000, in: 1...100_000, "Photos in the grid.")
  static let requests = Parameter(
    "requests", default: 12_000, in: 2...1_000_000,
    "Number of requests; the first half is recorded, the second half is measured.")
  static let pageWidth = Parameter(
    "page_width", default: 1_170, in: 1...8_000,
    "Width of a page in pixels; its height is 13/6 of it.")
  static let limit = Parameter(
    "limit", default: 150, in: 1...10_000, "Limit of both tiers together, in MiB.")
  static let objects = Parameter(
    "objects", default: 500, in: 1...100_000, "Limit of objects per tier.")
  static let division = Parameter(
    "division", default: Division.tuned, "Division of the limit in the second half.")
  static let parameters: [any WorkloadParameter] = [
    photos, requests, pageWidth, limit, objects, division,
  ]
  static let counters: [CounterDeclaration] = [
    .ratio(
      "cache.hit_ratio", .higher, isExact: true,
      "Share of the requests of the second half that memory answered."),
    .bytes(
      "cache.most_bytes", .lower, isExact: true,
      "Largest total size of the photos in memory in the second half."),
    .ratio(
      "tuning.best_hit_ratio", .neutral, isExact: true,
      "Highest hit ratio of all divisions by 1/192 of the limit."),
    .ratio(
      "tuning.regret", .lower, isExact: true,
      "Highest hit ratio minus the hit ratio of the chosen division."),
    .ratio(
      "tuning.predicted_miss_ratio", .neutral, isExact: true,
      "Miss ratio of the chosen division that the curves of the first half predict."),
    .ratio(
      "tuning.prediction_error", .neutral, isExact: true,
      "Predicted minus measured miss ratio of the second half."),
    .ratio(
      "tuning.curve_error", .neutral, isExact: true,
      "Predicted minus measured miss ratio of the first half in empty tiers."),
    .bytes(
      "tuning.thumbnail_bytes", .neutral, isExact: true, "Bytes that the thumbnails got."),
    .bytes("tuning.page_bytes", .neutral, isExact: true, "Bytes that the pages got."),
    .bytes(
      "tuning.best_thumbnail_bytes", .neutral, isExact: true,
      "Fewest bytes of the thumbnails in a division with the highest hit ratio."),
    .ratio(
      "tuning.assigned_ratio", .lower, isExact: true,
      "Bytes that both tiers got, divided by the limit."),
    .time(
      "tuning.time", .lower, scale: .ratio,
      "Time to record the first half and to compute two divisions."),
  ]

  /// A multiple of 3 and of 64, so that no other division is better than the best.
  private static let pieces = 192

  private let session: TunedSession
  private let budget: Int
  private let choice: Division

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    session = try TunedSession(
      ClassedSession.requests(
        photos: parameters[Self.photos], length: parameters[Self.requests],
        pageWidth: parameters[Self.pageWidth], seed: context.seed),
      objects: parameters[Self.objects])
    budget = parameters[Self.limit] << 20
    choice = parameters[Self.division]
  }

  func measure(_ context: MeasurementContext) throws {
    let fixed = TierDivision(thumbnails: budget / 3, pages: budget - budget / 3)
    let began = ContinuousClock.now
    let tuned = Phase.tune.measure { session.tuned(ofBytes: budget) }
    let elapsed = ContinuousClock.now - began
    let best = Phase.search.measure {
      session.best(ofBytes: budget, pieces: Self.pieces, after: fixed)
    }
    let chosen =
      switch choice {
      case .fixed: fixed
      case .tuned: tuned.recommended
      case .exact: tuned.exact
      case .best: best.division
      }
    let outcome = Phase.replay.measure { session.outcome(chosen, after: fixed) }
    let hitRatio = Double(outcome.hitCount) / Double(session.measuredCount)
    let bestHitRatio = Double(best.hitCount) / Double(session.measuredCount)
    let predicted = 1 - session.predictedHitRatio(chosen)
    context.report("cache.hit_ratio", hitRatio)
    context.report("cache.most_bytes", outcome.mostBytes)
    context.report("tuning.best_hit_ratio", bestHitRatio)
    context.report("tuning.regret", bestHitRatio - hitRatio)
    context.report("tuning.predicted_miss_ratio", predicted)
    context.report("tuning.prediction_error", predicted - (1 - hitRatio))
    context.report(
      "tuning.curve_error", predicted - (1 - session.recordedHitRatio(chosen)))
    context.report("tuning.thumbnail_bytes", chosen.thumbnails)
    context.report("tuning.page_bytes", chosen.pages)
    context.report("tuning.best_thumbnail_bytes", best.division.thumbnails)
    context.report("tuning.assigned_ratio", Double(chosen.bytes) / Double(budget))
    context.report("tuning.time", elapsed.nanoseconds)
  }
}
