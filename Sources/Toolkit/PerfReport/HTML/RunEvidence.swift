internal import PerfModel

/// The launches of a run with all that a comparison of their metrics needs.
///
/// The HTML report of a run contains it, so that two reports can be compared without their store.
struct RunEvidence: Codable {
  /// A launch without its frames, spans and series.
  struct Entry: Codable {
    let index: Int
    let isWarmup: Bool
    let offset: UInt64
    let metrics: [String: Double]
    /// `completed`, `crashed`, `timed out`, `jetsam`, `failed` or `interrupted`.
    let status: String
    /// The signal of a crash.
    var signal: Int32?
    /// The message of a failure.
    var message: String?
  }

  struct Limit: Codable {
    let metric: String
    let statistic: String
    let comparison: String
    let value: Double
    let unit: String
  }

  /// The format that this version writes and reads.
  static let form = "perfkit.run-evidence/1"

  let schema: String
  let id: String
  let scenario: String
  let variant: String
  let label: String?
  let started: Timestamp
  let seed: UInt64
  let parameters: Parameters
  let command: [String]
  let environment: Environment
  let definitions: [MetricDefinition]
  let budgets: [Limit]
  let launches: [Entry]
  /// The counted work; nil if the launches were timed.
  let work: WorkProfile?
  let warnings: [RunWarning]
  let wasInterrupted: Bool

  init(_ run: Run) {
    schema = Self.form
    (id, scenario, variant, label) = (run.id, run.scenario, run.variant, run.label)
    (started, seed, parameters, command) = (run.started, run.seed, run.parameters, run.command)
    (environment, definitions) = (run.environment, run.definitions)
    budgets = run.budgets.map { budget in
      Limit(
        metric: budget.metric, statistic: budget.statistic.description,
        comparison: budget.comparison.rawValue, value: budget.limit.baseValue,
        unit: budget.limit.unit.symbol)
    }
    launches = run.launches.map(Entry.init)
    (work, warnings, wasInterrupted) = (run.work, run.warnings, run.wasInterrupted)
  }

  /// The run without profile, frames and series; nil if a value is unknown to this version.
  var run: Run? {
    let limits = budgets.compactMap(Budget.init)
    let launches = launches.compactMap(\.launch)
    guard limits.count == budgets.count, launches.count == self.launches.count else { return nil }
    return Run(
      id: id, scenario: scenario, variant: variant, label: label, started: started, seed: seed,
      parameters: parameters, command: command, environment: environment, definitions: definitions,
      launches: launches, budgets: limits, profile: nil, work: work, warnings: warnings,
      wasInterrupted: wasInterrupted)
  }
}

extension RunEvidence.Entry {
  init(_ launch: Launch) {
    (index, isWarmup, offset) = (launch.index, launch.isWarmup, launch.offset)
    metrics = launch.metrics
    switch launch.status {
    case .completed: status = "completed"
    case .timedOut: status = "timed out"
    case .jetsam: status = "jetsam"
    case .interrupted: status = "interrupted"
    case .crashed(let number):
      status = "crashed"
      signal = number
    case .failed(let words):
      status = "failed"
      message = words
    }
  }

  fileprivate var launch: Launch? {
    let ended: Launch.Status? =
      switch status {
      case "completed": .completed
      case "timed out": .timedOut
      case "jetsam": .jetsam
      case "interrupted": .interrupted
      case "crashed": signal.map(Launch.Status.crashed)
      case "failed": message.map(Launch.Status.failed)
      default: nil
      }
    return ended.map {
      Launch(index: index, isWarmup: isWarmup, status: $0, offset: offset, metrics: metrics)
    }
  }
}

extension Budget {
  fileprivate init?(_ limit: RunEvidence.Limit) {
    let statistic: Statistic?
    switch limit.statistic {
    case "min": statistic = .min
    case "mean": statistic = .mean
    case "max": statistic = .max
    default: statistic = Double(limit.statistic.dropFirst()).map(Statistic.percentile)
    }
    guard let statistic, let comparison = Comparison(rawValue: limit.comparison),
      let unit = Unit.named(limit.unit)
    else { return nil }
    self.init(
      metric: limit.metric, statistic: statistic, comparison: comparison,
      limit: Quantity(baseValue: limit.value, unit: unit))
  }
}
