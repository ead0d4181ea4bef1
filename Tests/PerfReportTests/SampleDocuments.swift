import PerfModel
import PerfStatistics
import PerfTestSupport

@testable import PerfReport

/// Documents of sample runs with simple conclusions, so that report tests need no statistics.
enum SampleDocuments {
  /// Returns a run that is small enough for a snapshot.
  static func run(
    variant: String = "optimised", launches: Int = 6, samples: Int = 300, fling: Int = 500,
    statuses: [Int: Launch.Status] = [:]
  ) -> RunDocument {
    document(
      of: SampleRuns.run(
        variant: variant, launches: launches, samples: samples, fling: fling,
        statuses: statuses))
  }

  /// Returns a run of one launch without frames and metrics.
  static func run(spans: [Span], series: [TimeSeries] = []) -> Run {
    let sample = SampleRuns.run(launches: 1, warmup: 0, samples: 0, fling: 0)
    return Run(
      id: sample.id, scenario: "any", variant: "v", label: nil, started: sample.started, seed: 7,
      parameters: [:], command: ["run"], environment: sample.environment, definitions: [],
      launches: [
        Launch(
          index: 0, isWarmup: false, status: .completed, offset: 0, series: series, began: 0,
          spans: spans)
      ], budgets: [], profile: nil, warnings: [], wasInterrupted: false)
  }

  /// Returns a document whose budgets are judged by the value alone.
  static func document(of run: Run, reportPath: String? = nil) -> RunDocument {
    let metrics = MetricSummary.summaries(of: run)
    let budgets = run.budgets.map { budget -> BudgetResult in
      guard let metric = metrics.first(where: { $0.definition.name == budget.metric }),
        let value = budget.statistic == .max ? metric.values.max() : metric.median
      else {
        return BudgetResult(
          budget: budget, value: nil, interval: nil, verdict: .unknown,
          note: "no launch has this metric")
      }
      let limit = budget.limit.baseValue
      let isHeld = budget.comparison == .atMost ? value <= limit : value >= limit
      let interval = metric.low.flatMap { low in metric.high.map { low...$0 } }
      return BudgetResult(
        budget: budget, value: value, interval: budget.statistic == .max ? nil : interval,
        verdict: isHeld ? .held : .broken)
    }
    let verdicts = Set(budgets.map(\.verdict))
    return RunDocument(
      run: run, metrics: metrics, budgets: budgets,
      verdict: verdicts.contains(.broken)
        ? .broken : verdicts.contains(.unknown) ? .unknown : .held,
      reportPath: reportPath)
  }
}
