/// Corrections for asking many questions at once.
public enum MultipleTests {
  /// Returns p-values adjusted so that a false alarm among any of them keeps the level.
  ///
  /// - Parameter pValues: Each in 0...1, in any order, any dependence between them.
  /// - Returns: Adjusted values in the order given, at most 1.
  /// - Throws: `outOfRange` when one is no probability.
  /// - Note: Holm 1979, https://www.jstor.org/stable/4615733.
  public static func holm(_ pValues: [Double]) throws(StatisticsError) -> [Double] {
    try holm(pValues.map { ($0, 1) }).map(\.adjusted)
  }

  /// Corrects p-values of questions that may spend the error unequally, as Holm's section 4 does.
  ///
  /// - Parameter questions: Each with its p-value and its positive weight, on any scale, chosen without a
  ///   look at the p-values.
  /// - Returns: In the order given, the adjusted p-value, and the sum of the weights that were left when
  ///   the question had its turn, its own among them.
  /// - Throws: `outOfRange` when a p-value is no probability.
  static func holm(
    _ questions: [(p: Double, weight: Double)]
  ) throws(StatisticsError) -> [(adjusted: Double, left: Double)] {
    try checkProbabilities(questions.map(\.p))
    let strength = questions.map { $0.p / $0.weight }
    let order = strength.indices.sorted { strength[$0] < strength[$1] }
    var steps = questions.map { (adjusted: $0.p, left: 0.0) }
    // Added up from the last one, so that the smallest weight is not lost by rounding.
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

  /// Returns q-values: calling everything at or below q significant, at most that share of the calls
  /// is false on average.
  ///
  /// - Parameter pValues: Each in 0...1, in any order, independent or positively dependent.
  /// - Returns: Adjusted values in the order given, at most 1.
  /// - Throws: `outOfRange` when one is no probability.
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
