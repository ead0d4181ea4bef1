public import PerfModel

/// The evaluation of the budgets of a run.
///
/// A budget is broken if the 95 % interval of its statistic is beyond the limit, held if the
/// interval is within the limit, and unknown otherwise. For `min` and `max` the value itself
/// decides. A budget that only a disturbed machine breaks is unknown.
public enum BudgetEvaluator {
  /// The confidence of the intervals.
  public static let confidence = 0.95
  /// The number of launches below which a median has no interval; the range of values replaces it.
  public static let intervalCount = 6

  /// Checks that percentiles have enough launches; to be called before a measurement.
  ///
  /// - Throws: `StatisticsError.tooFewLaunches`, which names the statistic to use instead.
  public static func validate(_ budgets: [Budget], launches: Int) throws(StatisticsError) {
    for budget in budgets where launches < budget.statistic.launchesNeeded {
      throw .tooFewLaunches(budget, launches: launches)
    }
  }

  /// Evaluates the budgets of a run.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - counts: Counted launches of the same program, which decide the budgets of counted metrics; nil for none.
  /// - Returns: A result for each budget; an undecidable budget is unknown, with a note.
  public static func evaluate(_ run: Run, counts: WorkCounts? = nil) -> [BudgetResult] {
    let definitions = Dictionary(run.definitions.map { ($0.name, $0) }) { first, _ in first }
    return run.budgets.map { budget in
      if let counts, budget.isOfWork { return evaluate(budget, in: counts) }
      let values = run.values(of: budget.metric)
      let result = excused(
        evaluate(budget, values: values, definition: definitions[budget.metric]),
        definitions[budget.metric], run)
      return lacking(run.measured.count - values.count, of: run.measured.count, result)
    }
  }

  private static func evaluate(_ budget: Budget, in counts: WorkCounts) -> BudgetResult {
    let values = counts.values[budget.metric] ?? []
    return lacking(
      counts.launches - values.count, of: counts.launches,
      evaluate(
        budget, values: values,
        definition: counts.definitions.first { $0.name == budget.metric }))
  }

  /// Returns a result with a note about launches without a value: a missing value might have broken the budget.
  private static func lacking(
    _ missing: Int, of launches: Int, _ result: BudgetResult
  ) -> BudgetResult {
    guard missing > 0, result.value != nil else { return result }
    let note = "missing in \(missing) of \(launches) launches"
    return BudgetResult(
      budget: result.budget, value: result.value, interval: result.interval,
      verdict: result.verdict == .held ? .unknown : result.verdict,
      note: [result.note, note].filter { !$0.isEmpty }.joined(separator: "; "))
  }

  /// Returns the result as unknown if the launches may have broken the budget because the machine was disturbed.
  private static func excused(
    _ result: BudgetResult, _ definition: MetricDefinition?, _ run: Run
  ) -> BudgetResult {
    guard result.verdict == .broken, let definition,
      let relief = Disturbance.relief(of: definition, in: run),
      relief.values.isEmpty
        || evaluate(result.budget, values: relief.values, definition: definition).verdict != .broken
    else { return result }
    return BudgetResult(
      budget: result.budget, value: result.value, interval: result.interval, verdict: .unknown,
      note: [relief.reason, result.note].filter { !$0.isEmpty }.joined(separator: "; "))
  }

  /// Evaluates one budget by one value per launch, in base units.
  ///
  /// The result is unknown, with a note, if there are no values, too few for the percentile, or
  /// values that are not finite. Deterministic metrics are compared exactly.
  public static func evaluate(
    _ budget: Budget, values: [Double], definition: MetricDefinition?
  ) -> BudgetResult {
    func unknown(_ note: String) -> BudgetResult {
      BudgetResult(budget: budget, value: nil, interval: nil, verdict: .unknown, note: note)
    }
    guard let smallest = values.min(), let largest = values.max() else {
      return unknown(
        "no launch has the metric '\(budget.metric)'"
          + (budget.isOfWork
            ? "; --count counts it"
            : budget.metric.hasPrefix("alloc.") ? "; --allocations counts it" : ""))
    }
    do {
      try validate([budget], launches: values.count)
      let isRate = budget.metric == MetricName.crashRate && budget.statistic == .mean
      let measured = isRate ? try measureRate(values) : try measure(budget.statistic, values)
      let isDeterministic = definition?.isDeterministic ?? false
      let interval = isDeterministic ? smallest...largest : measured.interval
      let note =
        isDeterministic && smallest != largest
        ? "the metric should be equal in all launches, but is not" : measured.note
      return BudgetResult(
        budget: budget, value: measured.value, interval: interval,
        verdict: verdict(budget, interval), note: isDeterministic && smallest == largest ? "" : note
      )
    } catch {
      return unknown(error.description)
    }
  }

  /// Returns the combined verdict of several budgets; nil without budgets.
  ///
  /// One broken budget makes the result broken; otherwise one unknown budget makes it unknown.
  public static func verdict(of results: [BudgetResult]) -> BudgetVerdict? {
    guard !results.isEmpty else { return nil }
    let verdicts = results.map(\.verdict)
    return verdicts.contains(.broken) ? .broken : verdicts.contains(.unknown) ? .unknown : .held
  }

  /// Returns the combined verdict of a run and its budgets.
  ///
  /// A broken or unknown budget decides. Otherwise the run is unknown if launches did not complete
  /// and no budget limits crashes: completed launches say nothing about the others. Without budgets
  /// the run is held, or unknown if launches did not complete.
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

  private typealias Measured = (value: Double, interval: ClosedRange<Double>, note: String)

  /// Returns the share of crashed launches; without a crash the upper limit is still above zero.
  private static func measureRate(_ values: [Double]) throws(StatisticsError) -> Measured {
    let crashes = values.count { $0 > 0 }
    let estimate = try Proportion.estimate(
      events: crashes, trials: values.count, confidence: confidence)
    let note =
      crashes == 0
      ? "0 of \(values.count): with 95 % confidence at most about 3/\(values.count)" : ""
    return (estimate.value, estimate.interval ?? 0...1, note)
  }

  private static func measure(
    _ statistic: Budget.Statistic, _ values: [Double]
  ) throws(StatisticsError) -> Measured {
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
      let count = sorted.count == 1 ? "1 launch" : "\(sorted.count) launches"
      return (
        estimate.value, smallest...largest,
        "\(count): the range replaces the 95 % interval, which needs \(intervalCount)"
      )
    }
    var notes: [String] = []
    if estimate.low == nil { notes.append("the smallest value replaces the lower limit") }
    if estimate.high == nil { notes.append("the largest value replaces the upper limit") }
    if !notes.isEmpty {
      notes.append("a 95 % interval of \(statistic) needs \(estimate.valuesNeeded) launches")
    }
    return (
      estimate.value, (estimate.low ?? smallest)...(estimate.high ?? largest),
      notes.joined(separator: "; ")
    )
  }
}
