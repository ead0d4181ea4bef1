internal import PerfModel

/// Looks at what a change cannot reach.
struct ControlCheck {
  /// What moved, in words.
  let moved: [String]
  /// The metrics that launches lack, so that they may have moved, in words.
  let unknown: [String]
  /// Functions of which nothing can be told.
  let warnings: [RunWarning]

  /// Looks at the metrics and functions of a comparison.
  ///
  /// - Parameters:
  ///   - controls: What is declared.
  ///   - judgements: What was found of each metric.
  ///   - functions: What was found of each function; empty without profiles.
  init(
    _ controls: Scenario.Controls, judgements: [MetricJudgement], functions: [FunctionComparison]
  ) {
    var (moved, unknown): ([String], [String]) = ([], [])
    for name in controls.metrics {
      guard let found = judgements.first(where: { $0.definition.name == name }) else {
        unknown.append("\(name) (no launch has it)")
        continue
      }
      let metric = found.comparison
      if Verdicts.hasMoved(control: metric.verdict) {
        moved.append(Self.words(metric))
      } else if let gap = found.gap {
        unknown.append("\(name) (\(gap))")
      }
    }
    var warnings: [RunWarning] = []
    for name in controls.functions {
      let found = functions.filter { $0.name == name || $0.key == name }
      if found.isEmpty { warnings.append(Self.unseen(name, functions)) }
      if let change = found.first(where: \.isSignificant) { moved.append(Self.words(change)) }
    }
    self.moved = moved
    self.unknown = unknown
    self.warnings = warnings
  }

  private static func words(_ metric: MetricComparison) -> String {
    let estimate = metric.estimate ?? 0
    let change =
      metric.definition.scale == .ratio
      ? NumberFormat.percentChange(estimate)
      : NumberFormat.humanChange(estimate, metric.definition.dimension)
    return "\(metric.definition.name) (\(metric.verdict), \(change))"
  }

  private static func words(_ function: FunctionComparison) -> String {
    "\(function.name) (\(NumberFormat.humanChange(function.difference, .time)) a launch)"
  }

  private static func unseen(_ name: String, _ functions: [FunctionComparison]) -> RunWarning {
    let hint = NearestName.hint(for: name, among: functions.map(\.name))
    return RunWarning(
      code: PairedComparer.controlUnseen,
      message: functions.isEmpty
        ? "the control function '\(name)' cannot be looked at without profiles of both sides"
        : "the control function '\(name)' is in neither profile with 0.5% of the CPU time or more, so "
          + "nothing can be told by it\(hint)",
      remedy: functions.isEmpty
        ? "Measure without --no-profile, or leave it out of the scenario's controls."
        : "Name one that the table of functions has.")
  }
}
