public import PerfModel
internal import PerfStatistics

/// What each of several changes brought, one after the other, as waterfalls.
public enum LadderFigure {
  /// Returns a panel for each metric, with a bar from what it was before each change to what it was after
  /// it, between bars of what it was at first and in the end.
  ///
  /// - Parameters:
  ///   - runs: The runs, that of the first state first; each is named by its variant.
  ///   - metrics: Names of metrics.
  ///   - title: The heading.
  /// - Returns: Nil for fewer than two runs, and when none of the metrics has values in all of them.
  public static func figure(of runs: [Run], metrics: [String], title: String) -> Figure? {
    guard runs.count > 1 else { return nil }
    let ladders = metrics.compactMap { Ladder($0, of: runs) }
    guard !ladders.isEmpty else { return nil }
    return Figure(
      id: "ladder", title: title,
      summary: ladders.map(\.summary).joined(separator: " "), panels: ladders.map(\.panel))
  }

  /// The medians of one metric, run by run.
  private struct Ladder {
    let definition: MetricDefinition
    let names: [String]
    let values: [IntervalEstimate]

    init?(_ metric: String, of runs: [Run]) {
      guard
        let definition = runs.lazy.compactMap({ run in
          run.definitions.first { $0.name == metric }
        }).first
      else { return nil }
      let values = runs.compactMap { try? Quantiles.estimate(0.5, of: $0.values(of: metric)) }
      guard values.count == runs.count else { return nil }
      self.definition = definition
      names = runs.map(\.variant)
      self.values = values
    }

    var summary: String {
      let texts = zip(names, values).map { name, value in
        "\(name) \(NumberFormat.human(value.value, definition.dimension))"
      }
      return "\(definition.name): \(texts.joined(separator: ", "))."
    }

    var panel: Panel {
      let highest = values.map { max($0.value, $0.high ?? 0) }.max() ?? 0
      let unit = NumberFormat.readableUnit(for: highest, definition.dimension)
      let points = values.map { $0.value / unit.factor }
      let totals = [
        Layer.Bar(row: 0, from: 0, to: points[0]),
        Layer.Bar(row: points.count, from: 0, to: points[points.count - 1]),
      ]
      let steps = points.indices.dropFirst().map { index in
        Layer.Bar(row: index, from: points[index - 1], to: points[index])
      }
      let roles: [(Layer.Role, String)] = [
        (.good, "better"), (.bad, "worse"), (.muted, "no difference shown"),
      ]
      let changes = roles.compactMap { role, name -> Layer? in
        let bars = steps.filter { self.role(ofStep: $0.row) == role }
        return bars.isEmpty ? nil : Layer(name, role, .bars(bars))
      }
      return Panel(
        title: definition.name,
        x: Axis(label: unit.symbol, range: Ticks.range(around: points)),
        y: Axis(label: "", categories: names + ["in the end"]),
        layers: [Layer("in all", .primary, .bars(totals))] + changes, shape: .half)
    }

    /// Whether a step is better, worse, or neither: where the intervals of both medians meet, and where
    /// too few launches give none.
    private func role(ofStep index: Int) -> Layer.Role {
      let (old, new) = (ends(values[index - 1]), ends(values[index]))
      let isLower = new.high < old.low
      let isHigher = new.low > old.high
      switch definition.direction {
      case .lower: return isLower ? .good : isHigher ? .bad : .muted
      case .higher: return isHigher ? .good : isLower ? .bad : .muted
      case .neutral: return .muted
      }
    }

    /// The ends of a median's interval.
    ///
    /// What is the same in every launch needs none to be told apart.
    private func ends(_ median: IntervalEstimate) -> (low: Double, high: Double) {
      let isExact = definition.isDeterministic
      return (
        median.low ?? (isExact ? median.value : -.infinity),
        median.high ?? (isExact ? median.value : .infinity)
      )
    }
  }
}
