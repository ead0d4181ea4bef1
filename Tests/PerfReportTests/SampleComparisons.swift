import PerfModel
import PerfStatistics
import PerfTestSupport

@testable import PerfReport

/// Comparisons of sample runs with simple verdicts.
enum SampleComparisons {
  /// Returns the comparison of the naive with the optimised variant.
  static func naiveAgainstOptimised(
    launches: Int = 6, samples: Int = 600, fling: Int = 500
  ) -> ComparisonDocument {
    document(
      base: SampleDocuments.run(
        variant: "naive", launches: launches, samples: samples, fling: fling),
      candidate: SampleDocuments.run(
        variant: "optimised", launches: launches, samples: samples, fling: fling))
  }

  /// Returns changes of the medians; they are significant above 10 % of the base.
  static func document(
    base: RunDocument, candidate: RunDocument, differences: [Environment.Difference] = [],
    verdict: ComparisonVerdict = .improved
  ) -> ComparisonDocument {
    let gating = Set(base.run.budgets.map(\.metric))
    let metrics = base.metrics.compactMap { metric -> MetricComparison? in
      guard let other = candidate.metrics.first(where: { $0.definition == metric.definition })
      else { return nil }
      return compare(metric, other, isGating: gating.contains(metric.definition.name))
    }
    return ComparisonDocument(
      Comparison(
        id: "\(base.run.id)-\(candidate.run.id)", base: .init(base.run),
        candidate: .init(candidate.run), alpha: 0.02, seed: 1,
        metrics: metrics.filter(\.isGating) + metrics.filter { !$0.isGating },
        functions: functions(base.run, candidate.run), environmentDifferences: differences,
        warnings: [
          RunWarning(
            code: "compare.unpaired", message: "the runs were not measured side by side",
            remedy: "Use perfkit diff for small changes.")
        ], verdict: verdict),
      base: base, candidate: candidate)
  }

  private static func compare(
    _ base: MetricSummary, _ candidate: MetricSummary, isGating: Bool
  ) -> MetricComparison {
    let (old, new) = (base.median, candidate.median)
    let definition = base.definition
    let estimate = definition.scale == .ratio ? new / old - 1 : new - old
    let isReal = abs(new - old) > abs(old) * 0.1 && definition.direction != .neutral
    let isBetter = (new < old) == (definition.direction == .lower)
    let spread = abs(estimate) * 0.1 + (definition.scale == .ratio ? 0.004 : 0)
    return MetricComparison(
      definition: definition, base: old, candidate: new, ratio: old > 0 ? new / old : nil,
      estimate: estimate, low: estimate - spread, high: estimate + spread,
      p: isReal ? 0.0022 : 0.31, n: (base.values.count, candidate.values.count),
      margin: definition.scale == .ratio ? 0.02 : nil, isGating: isGating,
      verdict: isReal ? (isBetter ? .improved : .regressed) : .equivalent)
  }

  /// Returns functions with their differences, which are significant above a millisecond per
  /// launch.
  private static func functions(_ base: Run, _ candidate: Run) -> [FunctionComparison] {
    guard let before = base.profile, let after = candidate.profile else { return [] }
    let (old, new) = (HotFunctions(before), HotFunctions(after))
    let launches = (Double(base.measured.count), Double(candidate.measured.count))
    let keys = Set((old.functions + new.functions).map(\.function.key)).sorted()
    return keys.flatMap { key -> [FunctionComparison] in
      let one = old.functions.first { $0.function.key == key }
      let other = new.functions.first { $0.function.key == key }
      let name = (one ?? other)?.function.name ?? key
      return [FunctionComparison.Kind.own, .total].map { kind in
        let a = (kind == .own ? one?.own : one?.total)?.time ?? 0
        let b = (kind == .own ? other?.own : other?.total)?.time ?? 0
        let difference = b / launches.1 - a / launches.0
        return FunctionComparison(
          name: name, key: key, kind: kind, base: a / launches.0, candidate: b / launches.1,
          low: difference - 400_000, high: difference + 400_000, q: 0.01,
          isSignificant: abs(difference) > 1e6)
      }
    }
  }
}
