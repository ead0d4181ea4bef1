public import PerfModel

/// Says of budgets whether a run holds them.
///
/// A budget is broken when the 95 % interval of its statistic lies beyond the limit, held when it
/// lies within, unknown otherwise. Of `min` and `max` the value itself decides.
public enum BudgetEvaluator {
  /// The confidence of the intervals that decide.
  public static let confidence = 0.95
  /// With fewer iterations smallest to largest stands in for an interval; a median has none then.
  public static let intervalCount = 6

  /// Refuses percentiles that so few iterations cannot have; to be asked before measuring.
  ///
  /// - Parameters:
  ///   - budgets: Of the scenario.
  ///   - iterations: That are to be measured.
  /// - Throws: `StatisticsError.tooFewIterations`, which names the statistic to use instead.
  public static func validate(
    _ budgets: [Budget], iterations: Int
  ) throws(StatisticsError) {
    for budget in budgets where iterations < budget.statistic.iterationsNeeded {
      throw .tooFewIterations(budget, iterations: iterations)
    }
  }

  /// Judges the budgets of a run by its measured launches.
  ///
  /// - Returns: A result for each budget, in their order; what cannot be said is unknown and says
  ///   why.
  public static func evaluate(_ run: Run) -> [BudgetResult] {
    let definitions = Dictionary(run.definitions.map { ($0.name, $0) }) { first, _ in first }
    return run.budgets.map { budget in
      let result = evaluate(
        budget, values: run.values(of: budget.metric), definition: definitions[budget.metric])
      let missing = run.measured.count - run.values(of: budget.metric).count
      guard missing > 0, result.value != nil else { return result }
      let note = "\(missing) of \(run.measured.count) iterations lack the metric"
      // What is not there might have broken it.
      return BudgetResult(
        budget: budget, value: result.value, interval: result.interval,
        verdict: result.verdict == .held ? .unknown : result.verdict,
        note: [result.note, note].filter { !$0.isEmpty }.joined(separator: "; "))
    }
  }

  /// Judges one budget.
  ///
  /// - Parameters:
  ///   - budget: The budget.
  ///   - values: One for each iteration, in base units.
  ///   - definition: Of the metric; deterministic ones are compared exactly.
  /// - Returns: What can be said; unknown with a note when there are no values, when one of them is
  ///   no number, or when they are too few for the percentile.
  public static func evaluate(
    _ budget: Budget, values: [Double], definition: MetricDefinition?
  ) -> BudgetResult {
    func unknown(_ note: String) -> BudgetResult {
      BudgetResult(budget: budget, value: nil, interval: nil, verdict: .unknown, note: note)
    }
    guard let smallest = values.min(), let largest = values.max() else {
      return unknown("no launch has the metric '\(budget.metric)'")
    }
    do {
      try validate([budget], iterations: values.count)
      let measured =
        budget.isRateOfCrashes
        ? try measureRate(values) : try measure(budget.statistic, values)
      let isDeterministic = definition?.isDeterministic ?? false
      let interval = isDeterministic ? smallest...largest : measured.interval
      let note =
        isDeterministic && smallest != largest
        ? "the metric should be the same in every launch, but is not" : measured.note
      return BudgetResult(
        budget: budget, value: measured.value, interval: interval,
        verdict: verdict(budget, interval), note: isDeterministic && smallest == largest ? "" : note
      )
    } catch {
      return unknown(error.description)
    }
  }

  /// Returns what follows of several budgets together, or nil when there are none.
  ///
  /// One that is broken breaks all; otherwise one that is unknown leaves all unknown.
  public static func verdict(of results: [BudgetResult]) -> BudgetVerdict? {
    guard !results.isEmpty else { return nil }
    let verdicts = results.map(\.verdict)
    return verdicts.contains(.broken) ? .broken : verdicts.contains(.unknown) ? .unknown : .held
  }

  /// Returns what follows of a run and its budgets together.
  ///
  /// Broken and unknown are as the budgets say. What would be held is unknown when launches did not
  /// complete and no budget is about how many may crash: the completed ones say nothing of the others.
  /// Without budgets that leaves held, or unknown, of a run of which nothing broke.
  public static func verdict(of run: Run, _ results: [BudgetResult]) -> BudgetVerdict {
    if let verdict = verdict(of: results), verdict != .held { return verdict }
    let isLossJudged = results.contains { $0.budget.metric == MetricName.crashRate }
    let losses = run.profiled.filter { launch in
      switch launch.status {
      case .completed, .interrupted: false
      case .crashed, .jetsam: !isLossJudged
      case .timedOut, .failed: true
      }
    }
    return losses.isEmpty ? .held : .unknown
  }

  private static func verdict(
    _ budget: Budget, _ interval: ClosedRange<Double>
  ) -> BudgetVerdict {
    let limit = budget.limit.baseValue
    let (low, high) = (interval.lowerBound, interval.upperBound)
    switch budget.comparison {
    case .atMost: return high <= limit ? .held : low > limit ? .broken : .unknown
    case .atLeast: return low >= limit ? .held : high < limit ? .broken : .unknown
    case .equal:
      return low == limit && high == limit ? .held : interval.contains(limit) ? .unknown : .broken
    }
  }

  /// The part of launches that crashed; what happened to none of them may still happen.
  private static func measureRate(
    _ values: [Double]
  ) throws(StatisticsError) -> (value: Double, interval: ClosedRange<Double>, note: String) {
    let crashes = values.count { $0 > 0 }
    let estimate = try Proportion.estimate(
      events: crashes, trials: values.count, confidence: confidence)
    let note =
      crashes == 0 ? "0 of \(values.count): about 3/\(values.count) at most, with 95 %" : ""
    return (estimate.value, estimate.interval ?? 0...1, note)
  }

  private static func measure(
    _ statistic: Budget.Statistic, _ values: [Double]
  ) throws(StatisticsError) -> (value: Double, interval: ClosedRange<Double>, note: String) {
    let sorted = try checked(values, "the metric").sorted()
    let (smallest, largest) = (sorted[0], sorted[sorted.count - 1])
    let estimate: IntervalEstimate
    switch statistic {
    case .min, .percentile(0): return (smallest, smallest...smallest, "")
    case .max, .percentile(100): return (largest, largest...largest, "")
    case .mean: estimate = try Mean.estimate(of: sorted, confidence: confidence)
    case .percentile(let percent):
      estimate = try Quantiles.estimate(percent / 100, of: sorted, confidence: confidence)
    }
    guard sorted.count >= intervalCount else {
      let count = sorted.count == 1 ? "1 launch" : "\(sorted.count) iterations"
      return (
        estimate.value, smallest...largest,
        "\(count): smallest to largest stands in for the 95 % interval, which takes "
          + "\(intervalCount)"
      )
    }
    var notes: [String] = []
    if estimate.low == nil { notes.append("the smallest value stands in for the lower limit") }
    if estimate.high == nil { notes.append("the largest value stands in for the upper limit") }
    if !notes.isEmpty {
      notes.append("a 95 % interval of \(statistic) takes \(estimate.valuesNeeded) iterations")
    }
    return (
      estimate.value, (estimate.low ?? smallest)...(estimate.high ?? largest),
      notes.joined(separator: "; ")
    )
  }
}

extension Budget {
  /// Whether it is about the part of launches that crashed.
  fileprivate var isRateOfCrashes: Bool { metric == MetricName.crashRate && statistic == .mean }
}
