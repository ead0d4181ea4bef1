/// Corrections for multiple tests.
public enum MultipleTests {
  /// Returns p-values adjusted by Holm's weighted method: the probability of any false alarm is at
  /// most the level.
  ///
  /// The weights are positive, on any scale, and chosen without knowledge of the p-values, which
  /// may have any dependence. `left` is the sum of the weights of the tests from this one on.
  ///
  /// - Throws: `outOfRange` if a p-value is not a probability.
  /// - Note: Holm 1979, https://www.jstor.org/stable/4615733, section 4.
  static func holm(
    _ questions: [(p: Double, weight: Double)]
  ) throws(StatisticsError) -> [(adjusted: Double, left: Double)] {
    try checkProbabilities(questions.map(\.p))
    let strength = questions.map { $0.p / $0.weight }
    let order = strength.indices.sorted { strength[$0] < strength[$1] }
    var steps = questions.map { (adjusted: $0.p, left: 0.0) }
    // The sum starts at the last test, so that the smallest weight is not lost by rounding.
    var left = 0.0
    for index in order.reversed() {
      left += questions[index].weight
      steps[index].left = left
    }
    var largest = 0.0
    for index in order {
      largest = max(largest, min(1, strength[index] * steps[index].left))
      steps[index].adjusted = largest
    }
    return steps
  }

  /// Returns q-values (Benjamini-Hochberg).
  ///
  /// If everything with a value of at most q is called significant, on average at most the share q
  /// of the calls is false. The values may be independent or positively dependent.
  ///
  /// - Throws: `outOfRange` if a value is not a probability.
  /// - Note: Benjamini and Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x.
  public static func benjaminiHochberg(_ pValues: [Double]) throws(StatisticsError) -> [Double] {
    try checkProbabilities(pValues)
    let order = pValues.indices.sorted { pValues[$0] < pValues[$1] }
    var adjusted = pValues
    var smallest = 1.0
    for (rank, index) in order.enumerated().reversed() {
      smallest = min(smallest, pValues[index] * Double(pValues.count) / Double(rank + 1))
      adjusted[index] = smallest
    }
    return adjusted
  }

  private static func checkProbabilities(_ pValues: [Double]) throws(StatisticsError) {
    if let bad = pValues.first(where: { !(0...1).contains($0) }) {
      throw .outOfRange(parameter: "a p-value", value: bad, range: "0...1")
    }
  }
}
