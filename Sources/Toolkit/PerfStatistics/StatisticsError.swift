public import PerfModel

/// A reason why a statistic cannot be computed.
public enum StatisticsError: Error, Equatable, CustomStringConvertible {
  case emptySample(String)
  case notFinite(String, index: Int)
  case outOfRange(parameter: String, value: Double, range: String)
  case tooFewLaunches(Budget, launches: Int)
  case nothingInCommon(base: String, candidate: String)
  /// Only one run was measured with `--count`, and has no times.
  case countedAlone(run: String, other: String)
  case noSessions
  case nothingGates

  /// The problem, its place and a remedy.
  public var description: String {
    switch self {
    case .emptySample(let name):
      "\(name) has no values. Measure at least one launch."
    case .notFinite(let name, let index):
      "\(name) has a value at index \(index) that is not a finite number. "
        + "Exclude that launch, or measure it again."
    case .outOfRange(let parameter, let value, let range):
      "\(parameter) is \(value), but must be \(range)."
    case .tooFewLaunches(let budget, let launches):
      "\(budget.statistic) of \(launches) launches is just their \(budget.statistic.extreme). Use "
        + "'\(budget.statistic.extreme)(\(budget.metric))', or measure "
        + "\(budget.statistic.launchesNeeded) launches."
    case .nothingInCommon(let base, let candidate):
      "runs \(base) and \(candidate) have no metric with values in both. "
        + "Compare runs of one scenario that have a completed launch."
    case .countedAlone(let run, let other):
      "run \(run) counts its work and has no times, unlike run \(other). Name two runs with times, or two "
        + "that were measured with --count; 'perfkit list runs' shows them."
    case .noSessions:
      "the baseline has no stored session. Save one with `perfkit baseline save`."
    case .nothingGates:
      "the comparison has no gating metric. Name one under `gate: metrics` in the scenario."
    }
  }
}

/// Returns the sample if it is neither empty nor has a value that is not finite.
func checked(_ values: [Double], _ name: String) throws(StatisticsError) -> [Double] {
  guard !values.isEmpty else { throw .emptySample(name) }
  if let index = values.firstIndex(where: { !$0.isFinite }) {
    throw .notFinite(name, index: index)
  }
  return values
}

/// Checks that a confidence is strictly between 0 and 1.
func checkConfidence(_ confidence: Double) throws(StatisticsError) {
  guard confidence > 0, confidence < 1 else {
    throw .outOfRange(
      parameter: "confidence", value: confidence, range: "between 0 and 1, both excluded")
  }
}
