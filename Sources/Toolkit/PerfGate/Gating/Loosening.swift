internal import PerfModel
internal import PerfStatistics

/// The rules of a scenario that a candidate loosens: margins, gating and reported metrics, budgets,
/// controls, launches and their accepted ends.
struct Loosening {
  /// The loosened rules in words, in a fixed order.
  private(set) var changes: [String] = []

  /// Compares the rules of both sides.
  init(from base: Scenario, to candidate: Scenario) {
    compareMetrics(base, candidate)
    compareReported(base, candidate)
    for budget in base.budgets { compare(budget, candidate.budgets) }
    for (kind, names) in [
      ("metric", \Scenario.Controls.metrics), ("function", \.functions), ("scenario", \.scenarios),
    ] {
      let added = candidate.controls[keyPath: names].filter {
        !base.controls[keyPath: names].contains($0)
      }
      changes += added.map { "\(kind) \($0) is a control" }
    }
    compareLaunches(base, candidate)
  }

  /// Returns the settings besides the rules that differ, such as `parameters`.
  static func otherChanges(from base: Scenario, to candidate: Scenario) -> [String] {
    // Added variants measure nothing else, and removed ones are loosened.
    func common(_ scenario: Scenario) -> [Scenario.Variant] {
      scenario.variants.filter {
        base.variant(named: $0.name) != nil && candidate.variant(named: $0.name) != nil
      }
    }
    let parts: [(String, (Scenario) -> AnyHashable)] = [
      ("program", { AnyHashable($0.worker) }), ("arguments", { AnyHashable($0.workerArguments) }),
      ("workload", { AnyHashable($0.workload) }),
      ("parameters", { AnyHashable($0.parameters) }),
      ("variants", { AnyHashable(common($0)) }),
      ("quick", { AnyHashable($0.quick) }), ("pressure", { AnyHashable($0.pressure) }),
      ("calibrate", { AnyHashable($0.calibration) }),
      ("warmup", { AnyHashable($0.warmup) }), ("profile", { AnyHashable($0.profileRate) }),
      ("directory", { AnyHashable($0.command.directory) }),
      ("environment", { AnyHashable($0.command.environment) }),
      ("stdin", { AnyHashable($0.command.input) }),
      ("prepare", { AnyHashable($0.command.prepare) }),
      ("cleanup", { AnyHashable($0.command.cleanup) }),
      ("output", { AnyHashable($0.command.keepsOutput) }),
    ]
    return parts.filter { $0.1(base) != $0.1(candidate) }.map(\.0)
  }

  private mutating func compareMetrics(_ base: Scenario, _ candidate: Scenario) {
    let after = Self.gating(candidate)
    for name in Self.gating(base) {
      let (old, new) = (base.gate.margin(of: name), candidate.gate.margin(of: name))
      if !after.contains(name) {
        changes.append("\(name) no longer gates")
      } else if new.isLooser(than: old) {
        changes.append("the margin of \(name) is \(new.text(of: name)), not \(old.text(of: name))")
      }
    }
  }

  /// Returns the gating metrics, with the counted ones.
  private static func gating(_ scenario: Scenario) -> [String] {
    let timed = GatingMetrics.names(
      scenario.gate, budgets: scenario.budgets,
      definitions: MetricCatalog.standardDefinitions + scenario.command.definitions)
    let counted = scenario.countsWork ? scenario.gate.counted.metrics.keys.sorted() : []
    return timed + counted.filter { !timed.contains($0) }
  }

  /// Compares the metrics of the command that gate or have a budget.
  private mutating func compareReported(_ base: Scenario, _ candidate: Scenario) {
    let names = Set(Self.gating(base) + base.budgets.map(\.metric))
    for metric in base.command.metrics where names.contains(metric.definition.name) {
      let name = metric.definition.name
      guard let new = candidate.command.metrics.first(where: { $0.definition.name == name }),
        new != metric
      else { continue }
      changes.append("\(name) is \(new.words), not \(metric.words)")
    }
  }

  private mutating func compare(_ budget: Budget, _ others: [Budget]) {
    let same = others.filter { $0.isOfSameKind(as: budget) }
    guard !same.contains(where: { !$0.isLooser(than: budget) }) else { return }
    changes.append(
      same.first.map { "budget '\($0)' replaces '\(budget)'" } ?? "budget '\(budget)' is removed")
  }

  private mutating func compareLaunches(_ base: Scenario, _ candidate: Scenario) {
    for variant in base.variants where candidate.variant(named: variant.name) == nil {
      changes.append("variant \(variant.name) is removed")
    }
    if candidate.defaultVariant != base.defaultVariant,
      candidate.variant(named: base.defaultVariant) != nil
    {
      changes.append(
        "the default variant is \(candidate.defaultVariant), not \(base.defaultVariant)")
    }
    // Only budgets are judged by this number of launches.
    if candidate.iterations < base.iterations, !base.budgets.isEmpty {
      changes.append("\(candidate.iterations) launches are measured, not \(base.iterations)")
    }
    if candidate.timeout > base.timeout {
      let (old, new) = (Double(base.timeout), Double(candidate.timeout))
      changes.append(
        "a launch may take \(NumberFormat.human(new, .time)), not \(NumberFormat.human(old, .time))"
      )
    }
    let exits = candidate.command.acceptedExits.subtracting(base.command.acceptedExits).sorted()
    changes += exits.map { "exit status \($0) is accepted" }
  }
}

extension Scenario.CommandMetric {
  /// The place, unit and better direction of the values.
  fileprivate var words: String {
    let place =
      switch source {
      case .pattern(let pattern): "pattern '\(pattern)'"
      case .line(let key): "line '\(key)'"
      case .file(let file, let key): "'\(key)' of file '\(file)'"
      case .benchmark(let tool, let file, let name):
        "\(name.map { "'\($0)' of " } ?? "")\(tool.rawValue) '\(file)'"
      }
    return "\(place) in \(unit.symbol) (better: \(definition.direction.rawValue))"
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
