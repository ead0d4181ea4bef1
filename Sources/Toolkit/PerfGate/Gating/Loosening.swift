internal import PerfModel
internal import PerfStatistics

/// The rules of a scenario that a candidate loosens: margins, gating metrics, budgets, controls, the
/// default variant and the number of launches.
struct Loosening {
  /// The candidate's scenario with the base's rule wherever the candidate's is looser.
  private(set) var guarded: Scenario
  /// The loosened rules in words, in a fixed order.
  private(set) var changes: [String] = []

  /// Compares the rules of both sides.
  init(from base: Scenario, to candidate: Scenario) {
    guarded = candidate
    guardMetrics(of: base, candidate)
    for budget in base.budgets { guardBudget(budget, candidate.budgets) }
    guardControls(of: base, "metric", \.metrics)
    guardControls(of: base, "function", \.functions)
    guardControls(of: base, "scenario", \.scenarios)
    guardLaunches(of: base, candidate)
  }

  /// Returns the settings besides the rules that differ, such as `parameters`.
  static func otherChanges(from base: Scenario, to candidate: Scenario) -> [String] {
    let parts: [(String, (Scenario) -> AnyHashable)] = [
      ("worker", { AnyHashable($0.worker) }), ("workload", { AnyHashable($0.workload) }),
      ("parameters", { AnyHashable($0.parameters) }),
      ("variants", { AnyHashable($0.variants.filter { base.variant(named: $0.name) != nil }) }),
      ("quick", { AnyHashable($0.quick) }), ("pressure", { AnyHashable($0.pressure) }),
      ("timeout", { AnyHashable($0.timeout) }),
    ]
    return parts.filter { $0.1(base) != $0.1(candidate) }.map(\.0)
  }

  private mutating func guardMetrics(of base: Scenario, _ candidate: Scenario) {
    let (before, after) = (Self.gating(base), Self.gating(candidate))
    var margins: [String: Scenario.Margin?] = [:]
    for name in after { margins.updateValue(candidate.gate.margin(of: name), forKey: name) }
    let count = changes.count
    for name in before {
      let (old, new) = (base.gate.margin(of: name), candidate.gate.margin(of: name))
      if !after.contains(name) {
        changes.append("\(name) no longer gates")
      } else if new.isLooser(than: old) {
        changes.append("the margin of \(name) is \(new.text(of: name)), not \(old.text(of: name))")
      } else {
        continue
      }
      margins.updateValue(old, forKey: name)
    }
    if changes.count > count { guarded.gate.metrics = margins }
  }

  private static func gating(_ scenario: Scenario) -> [String] {
    GatingMetrics.names(
      scenario.gate, budgets: scenario.budgets, definitions: MetricCatalog.standardDefinitions)
  }

  private mutating func guardBudget(_ budget: Budget, _ others: [Budget]) {
    let same = others.filter { $0.isOfSameKind(as: budget) }
    guard !same.contains(where: { !$0.isLooser(than: budget) }) else { return }
    changes.append(
      same.first.map { "budget '\($0)' replaces '\(budget)'" } ?? "budget '\(budget)' is removed")
    guarded.budgets.removeAll { $0.isOfSameKind(as: budget) }
    guarded.budgets.append(budget)
  }

  private mutating func guardControls(
    of base: Scenario, _ kind: String, _ path: WritableKeyPath<Scenario.Controls, [String]>
  ) {
    let added = guarded.controls[keyPath: path].filter {
      !base.controls[keyPath: path].contains($0)
    }
    changes += added.map { "\(kind) \($0) is a control" }
    guarded.controls[keyPath: path].removeAll(where: added.contains)
  }

  private mutating func guardLaunches(of base: Scenario, _ candidate: Scenario) {
    for variant in base.variants where candidate.variant(named: variant.name) == nil {
      changes.append("variant \(variant.name) is removed")
    }
    if candidate.defaultVariant != base.defaultVariant,
      candidate.variant(named: base.defaultVariant) != nil
    {
      changes.append(
        "the default variant is \(candidate.defaultVariant), not \(base.defaultVariant)")
      guarded.defaultVariant = base.defaultVariant
    }
    // Only budgets are judged by this number of launches.
    if candidate.iterations < base.iterations, !base.budgets.isEmpty {
      changes.append("\(candidate.iterations) launches are measured, not \(base.iterations)")
      guarded.iterations = base.iterations
    }
  }
}

extension Scenario.Margin {
  /// Returns whether this margin accepts a change of some base that another margin does not accept.
  ///
  /// With two limits a change must exceed both, so that each limit of a stricter margin needs a limit of
  /// the same kind in the other margin that is at least as great.
  func isLooser(than other: Scenario.Margin) -> Bool {
    func exceeds(_ limit: Double?, _ other: Double?) -> Bool {
      limit.map { limit in other.map { limit > $0 } ?? true } ?? false
    }
    return exceeds(relative, other.relative) || exceeds(absolute, other.absolute)
  }

  fileprivate func text(of metric: String) -> String {
    let dimension = MetricCatalog.standard[metric]?.dimension ?? .count
    return [
      relative.map { NumberFormat.human($0, .ratio) },
      absolute.map { NumberFormat.human($0, dimension) },
    ].compactMap(\.self).joined(separator: " and ")
  }
}

extension Budget {
  fileprivate func isOfSameKind(as other: Budget) -> Bool {
    metric == other.metric && statistic == other.statistic && comparison == other.comparison
  }

  /// Returns whether this budget holds for a value that breaks another budget of the same kind.
  fileprivate func isLooser(than other: Budget) -> Bool {
    let (limit, old) = (limit.baseValue, other.limit.baseValue)
    return switch comparison {
    case .atMost: limit > old
    case .atLeast: limit < old
    case .equal: limit != old
    }
  }
}
