import PerfModel

/// Runs with only the values that a test needs.
enum TestRuns {
  static let time = MetricDefinition(
    name: "wall", dimension: .time, direction: .lower, scale: .ratio, summary: "Wall time.")
  static let hitches = MetricDefinition(
    name: "frame.hitch_time_ratio", dimension: .timeRatio, direction: .lower, scale: .difference,
    summary: "Hitches.")
  static let rate = MetricDefinition(
    name: "frame.rate", dimension: .frequency, direction: .higher, scale: .difference,
    summary: "Frames.")
  static let frames = MetricDefinition(
    name: "frame.count", dimension: .count, direction: .neutral, scale: .difference,
    summary: "Frames.")
  static let allocations = MetricDefinition(
    name: "alloc.count", dimension: .count, direction: .lower, scale: .difference,
    isDeterministic: true, summary: "Allocations.")
  static let definitions = [time, hitches, rate, frames, allocations]

  /// Returns a run whose measured launches have these values, in order; launch 0 is a warm-up.
  static func run(
    _ metrics: [String: [Double]], id: String = "r", budgets: [Budget] = [],
    environment: [Environment.Key: String] = [:], profile: Profile? = nil,
    parameters: Parameters = [:], lost: Int = 0, hour: Int64 = 0, scenario: String = "s",
    statuses: [Int: Launch.Status] = [:], warnings: [RunWarning] = []
  ) -> Run {
    let count = metrics.values.map(\.count).max() ?? 0
    let warmup = Launch(
      index: 0, isWarmup: true, status: .completed, offset: 0,
      metrics: metrics.mapValues { _ in 1e99 })
    let measured = (0..<count).map { index in
      Launch(
        index: index + 1, isWarmup: false, status: statuses[index + 1] ?? .completed, offset: 0,
        metrics: metrics.compactMapValues { index < $0.count ? $0[index] : nil })
    }
    let crashed = (0..<lost).map { index in
      Launch(
        index: count + 1 + index, isWarmup: false, status: .crashed(signal: 11), offset: 0,
        metrics: metrics.mapValues { _ in 1e99 })
    }
    return Run(
      id: id, scenario: scenario, variant: "v", label: nil,
      started: Timestamp(milliseconds: hour * 3_600_000), seed: 1, parameters: parameters,
      command: [],
      environment: Environment(
        facts: Dictionary(
          uniqueKeysWithValues: environment.map { ($0.key.rawValue, $0.value) })),
      definitions: definitions.filter { metrics.keys.contains($0.name) },
      launches: [warmup] + measured + crashed, budgets: budgets, profile: profile,
      warnings: warnings, wasInterrupted: false)
  }

  /// Returns values spread evenly over a fraction of a centre, in a fixed order.
  ///
  /// The median is the centre. The count must not be a multiple of 11.
  static func spread(_ center: Double, by fraction: Double, count: Int) -> [Double] {
    (0..<count).map { index in
      let place = Double((index * 11) % count) / Double(max(count - 1, 1)) - 0.5
      return center * (1 + fraction * place)
    }
  }
}
