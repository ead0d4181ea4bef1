public import PerfModel

/// The judgement of a metric after a number of pairs, with the properties of its comparison.
@dynamicMemberLookup
public struct MetricJudgement: Hashable, Sendable {
  /// The judgement as a comparison; without a decision it is inconclusive.
  public let comparison: MetricComparison
  /// The verdict, final from the look that reached it.
  ///
  /// It is *inconclusive* after the last look, and nil while further pairs may decide.
  public let verdict: ComparisonVerdict?
  /// The number of incomplete pairs, by side.
  public let lost: MetricComparison.Counts
  /// The missing and impossible values, in words; nil if there are none.
  let gap: String?

  /// The number of complete pairs.
  public var pairs: Int { comparison.n.base }

  /// A property of the comparison.
  public subscript<Value>(dynamicMember path: KeyPath<MetricComparison, Value>) -> Value {
    comparison[keyPath: path]
  }
}
