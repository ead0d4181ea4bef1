public import PerfModel

/// The check of the controls: metrics and functions that the change cannot affect.
struct ControlCheck {
  /// A sentence without a full stop for each control that moved.
  let moved: [String]
  /// The control metrics without values in some launches, which may have moved.
  let unknown: [String]
  /// Warnings about control functions that cannot be checked.
  let warnings: [RunWarning]

  /// Checks the metrics and functions of a comparison; without profiles there are no functions.
  init(
    _ controls: Scenario.Controls, judgements: [MetricJudgement], functions: [FunctionComparison]
  ) {
    var (moved, unknown): ([String], [String]) = ([], [])
    for name in controls.metrics {
      guard let found = judgements.first(where: { $0.definition.name == name }) else {
        unknown.append("\(name) (missing in all launches)")
        continue
      }
      let metric = found.comparison
      if Verdicts.hasMoved(control: metric.verdict) {
        moved.append("the control metric \(metric.movement)")
      } else if let gap = found.gap {
        unknown.append("\(name) (\(gap))")
      }
    }
    var warnings: [RunWarning] = []
    for name in controls.functions {
      let found = functions.filter { $0.name == name || $0.key == name }
      if found.isEmpty { warnings.append(Self.unseen(name, functions)) }
      if let change = found.first(where: \.isSignificant) {
        let size = NumberFormat.humanChange(change.difference, .time)
        moved.append("the control function \(change.name) changed by \(size) per launch")
      }
    }
    self.moved = moved
    self.unknown = unknown
    self.warnings = warnings
  }

  private static func unseen(_ name: String, _ functions: [FunctionComparison]) -> RunWarning {
    let hint = NearestName.hint(for: name, among: functions.map(\.name))
    return RunWarning(
      code: PairedComparer.controlUnseen,
      message: functions.isEmpty
        ? "the control function '\(name)' cannot be checked without profiles of both sides"
        : "the control function '\(name)' cannot be checked: it has less than 0.5% of the CPU time "
          + "in both profiles\(hint)",
      remedy: functions.isEmpty
        ? "Measure without --no-profile, or remove it from the scenario's controls."
        : "Name a function of the table of functions.")
  }
}

extension MetricComparison {
  /// The estimated change in words, such as `cpu.total rose by 12%`; `pp` are percentage points.
  public var movement: String {
    guard let estimate else { return "\(definition.name) changed" }
    let change = "\(estimate < 0 ? "fell" : "rose") by \(definition.size(of: estimate))"
    return slowLaunches.map { slow in
      "the distribution of \(definition.name) changed: \(slow.shares) of the launches are in the "
        + "slow mode, so that the mean \(change)"
    } ?? "\(definition.name) \(change)"
  }
}

extension MetricDefinition {
  /// Returns the magnitude of a change in the metric's scale, such as `12%`; `pp` are percentage
  /// points.
  public func size(of change: Double) -> String {
    switch (scale, dimension) {
    case (.ratio, _): String(NumberFormat.percentChange(change.magnitude).drop { $0 == "+" })
    case (.difference, .ratio): NumberFormat.significant(change.magnitude * 100) + " pp"
    case (.difference, let dimension): NumberFormat.human(change.magnitude, dimension)
    }
  }
}
