public import PerfModel

/// Why a statistic cannot be computed.
public enum StatisticsError: Error, Equatable, CustomStringConvertible {
  /// There is no value at all.
  case emptySample(String)
  /// A value is not a number, or infinite.
  case notFinite(String, index: Int)
  /// A value that must be positive, for its logarithm, is not.
  case notPositive(String, index: Int)
  /// A parameter lies outside its range.
  case outOfRange(parameter: String, value: Double, range: String)
  /// A percentile that so few iterations cannot have.
  case tooFewIterations(Budget, iterations: Int)
  /// Two runs have no metric with values in both.
  case nothingInCommon(base: String, candidate: String)
  /// A baseline has no stored session.
  case noSessions
  /// A comparison has no metric that decides.
  case nothingGates

  /// What failed, on which sample, why, and what to do.
  public var description: String {
    switch self {
    case .emptySample(let name):
      "\(name) has no values. Measure at least one iteration."
    case .notFinite(let name, let index):
      "\(name) has a value at index \(index) that is not a finite number. "
        + "Leave that iteration out, or measure it again."
    case .notPositive(let name, let index):
      "\(name) has a value at index \(index) that is not positive, so it has no ratio. "
        + "Compare it by differences."
    case .outOfRange(let parameter, let value, let range):
      "\(parameter) is \(value), outside of \(range). Pass a value inside."
    case .tooFewIterations(let budget, let iterations):
      "\(budget.statistic) of \(iterations) iterations says no more than their "
        + "\(budget.statistic.extreme). Use '\(budget.statistic.extreme)(\(budget.metric))', or take "
        + "\(budget.statistic.launchesNeeded) iterations."
    case .nothingInCommon(let base, let candidate):
      "runs \(base) and \(candidate) have no metric with values in both. "
        + "Compare runs of one scenario that completed an iteration."
    case .noSessions:
      "the baseline has no stored session. Save one with `perfkit baseline save`."
    case .nothingGates:
      "no metric decides the comparison. Name one under `gate: metrics` of the scenario."
    }
  }
}

/// Checks a sample and returns it.
///
/// - Throws: `emptySample` or `notFinite`.
func checked(_ values: [Double], _ name: String) throws(StatisticsError) -> [Double] {
  guard !values.isEmpty else { throw .emptySample(name) }
  if let index = values.firstIndex(where: { !$0.isFinite }) {
    throw .notFinite(name, index: index)
  }
  return values
}

/// Checks a level of confidence.
///
/// - Throws: `outOfRange` unless it lies strictly between 0 and 1.
func checkConfidence(_ confidence: Double) throws(StatisticsError) {
  guard confidence > 0, confidence < 1 else {
    throw .outOfRange(parameter: "confidence", value: confidence, range: "0 to 1, both excluded")
  }
}
