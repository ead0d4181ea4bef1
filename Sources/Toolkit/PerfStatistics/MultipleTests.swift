/// Corrections for asking many questions at once.
public enum MultipleTests {
  /// Returns p-values adjusted so that a false alarm among any of them keeps the level.
  ///
  /// - Parameter pValues: Each in 0...1, in any order, any dependence between them.
  /// - Returns: Adjusted values in the order given, at most 1.
  /// - Throws: `outOfRange` when one is no probability.
  /// - Note: Holm 1979, https://www.jstor.org/stable/4615733.
  public static func holm(_ pValues: [Double]) throws(StatisticsError) -> [Double] {
    let order = try ascending(pValues)
    var adjusted = pValues
    var largest = 0.0
    for (rank, index) in order.enumerated() {
      largest = max(largest, min(1, pValues[index] * Double(pValues.count - rank)))
      adjusted[index] = largest
    }
    return adjusted
  }

  /// Returns q-values: calling everything at or below q significant, at most that share of the calls
  /// is false on average.
  ///
  /// - Parameter pValues: Each in 0...1, in any order, independent or positively dependent.
  /// - Returns: Adjusted values in the order given, at most 1.
  /// - Throws: `outOfRange` when one is no probability.
  /// - Note: Benjamini and Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x.
  public static func benjaminiHochberg(_ pValues: [Double]) throws(StatisticsError) -> [Double] {
    let order = try ascending(pValues)
    var adjusted = pValues
    var smallest = 1.0
    for (rank, index) in order.enumerated().reversed() {
      smallest = min(smallest, pValues[index] * Double(pValues.count) / Double(rank + 1))
      adjusted[index] = smallest
    }
    return adjusted
  }

  private static func ascending(_ pValues: [Double]) throws(StatisticsError) -> [Int] {
    if let bad = pValues.first(where: { !(0...1).contains($0) }) {
      throw .outOfRange(parameter: "a p-value", value: bad, range: "0...1")
    }
    return pValues.indices.sorted { pValues[$0] < pValues[$1] }
  }
}
