public import PerfModel
internal import PerfStatistics

/// Waterfall charts of consecutive changes.
public enum LadderFigure {
  /// Returns a panel per metric with a bar for each change, between bars of the first and the last
  /// value.
  ///
  /// The runs are in the order of the changes, and each is named by its variant. The result is nil
  /// for fewer than two runs, or if no metric has values in all of them.
  public static func figure(of runs: [Run], metrics: [String], title: String) -> Figure? {
    let ladders = metrics.compactMap { Ladder($0, of: runs) }
    guard runs.count > 1, !ladders.isEmpty else { return nil }
    return Figure(
      id: "ladder", title: title,
      summary: ladders.map(\.summary).joined(separator: " "), panels: ladders.map(\.panel))
  }

  private struct Ladder {
    let definition: MetricDefinition
    let names: [String]
    let values: [IntervalEstimate]

    init?(_ metric: String, of runs: [Run]) {
      let values = runs.compactMap { try? Quantiles.estimate(0.5, of: $0.values(of: metric)) }
      guard let definition = runs.lazy.flatMap(\.definitions).first(where: { $0.name == metric }),
        values.count == runs.count
      else { return nil }
      self.definition = definition
      // The states of one variant are commits.
      let commits = runs.compactMap { Wording.commit($0.environment[.commit]) }
      names =
        [runs.map(\.variant), commits].first { Set($0).count == runs.count } ?? runs.map(\.id)
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
        (.good, "better"), (.bad, "worse"), (.muted, "no significant change"),
      ]
      let changes = roles.compactMap { role, name -> Layer? in
        let bars = steps.filter { self.role(ofStep: $0.row) == role }
        return bars.isEmpty ? nil : Layer(name, role, .bars(bars))
      }
      return Panel(
        title: definition.name,
        x: Axis(label: unit.symbol, range: Ticks.range(around: points)),
        y: Axis(label: "", categories: names + ["final"]),
        layers: [Layer("total", .primary, .bars(totals))] + changes, shape: .half)
    }

    /// Returns whether a step is better or worse; it is neither if the intervals of both medians
    /// overlap, or if there are too few launches for intervals.
    private func role(ofStep index: Int) -> Layer.Role {
      let (old, new) = (ends(values[index - 1]), ends(values[index]))
      let isLower = new.high < old.low
      let isHigher = new.low > old.high
      guard isLower || isHigher, definition.direction != .neutral else { return .muted }
      return isLower == (definition.direction == .lower) ? .good : .bad
    }

    /// Returns the limits of a median's interval; a deterministic metric needs no interval.
    private func ends(_ median: IntervalEstimate) -> (low: Double, high: Double) {
      let isExact = definition.isDeterministic
      return (
        median.low ?? (isExact ? median.value : -.infinity),
        median.high ?? (isExact ? median.value : .infinity)
      )
    }
  }
}
