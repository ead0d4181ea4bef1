internal import PerfModel
internal import PerfStatistics

extension AcrossDocument {
  /// The combination in the format `perfkit.across/1`; changes are candidate against base, in `scale`.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.across/1",
      "verdict": .string(verdict.rawValue),
      "sentence": .string(sentence),
      "scenario": .string(candidate.scenario),
      "base": .optional(base.commit), "candidate": .optional(candidate.commit),
      "machines": .array(
        machines.map { machine in
          .object([
            "name": .string(machine.name), "comparison": .string(machine.comparison),
            "pairs": .int(machine.pairs), "verdict": .string(machine.verdict.rawValue),
          ])
        }),
      "metrics": .array(metrics.map(json(of:))),
      "warnings": .array(warnings.map(\.json)),
    ])
  }

  private func json(of metric: CombinedChange) -> JSONValue {
    func range(_ range: ClosedRange<Double>?) -> JSONValue {
      range.map { .array([.number($0.lowerBound), .number($0.upperBound)]) } ?? .null
    }
    return .object([
      "name": .string(metric.definition.name),
      "unit": .string(metric.definition.baseUnit.symbol),
      "scale": .string(metric.definition.scale.rawValue),
      "verdict": .string(metric.verdict.rawValue),
      "margin": .number(metric.margin),
      "change": .optional(metric.change),
      "interval": range(metric.interval),
      "prediction": range(metric.prediction),
      "heterogeneity": .number(metric.heterogeneity),
      "machines": .array(
        zip(metric.gains, metric.weights).map { gain, weight in
          .object([
            "change": .optional(gain?.change), "interval": range(gain?.interval),
            "standard_error": .optional(gain?.standardError), "weight": .number(weight),
          ])
        }),
    ])
  }

  /// A forest plot: a panel for each metric, with the interval of each machine and of all together.
  public var figure: Figure {
    Figure(id: "across", title: title, summary: sentence, panels: metrics.compactMap(panel))
  }

  private func panel(of metric: CombinedChange) -> Panel? {
    guard let change = metric.change, let interval = metric.interval else { return nil }
    let isRatio = metric.definition.scale == .ratio
    let intervals = metric.gains.compactMap { $0?.interval } + [interval]
    let ends =
      intervals.flatMap { [$0.lowerBound, $0.upperBound] } + [metric.margin, -metric.margin]
    let unit = NumberFormat.readableUnit(
      for: ends.map(\.magnitude).max() ?? 0, metric.definition.dimension)
    let factor = isRatio ? 100 : 1 / unit.factor
    let rows = metric.gains.enumerated().compactMap { row, gain in
      gain.map { gain in
        Layer.Interval(
          row: row, value: gain.change * factor, low: gain.interval.lowerBound * factor,
          high: gain.interval.upperBound * factor)
      }
    }
    let all = Layer.Interval(
      row: machines.count, value: change * factor, low: interval.lowerBound * factor,
      high: interval.upperBound * factor)
    return Panel(
      title: "\(metric.definition.name): \(metric.verdict.rawValue)",
      x: Axis(
        label: "change (\(isRatio ? "%" : unit.symbol))",
        range: Ticks.range(around: ends.map { $0 * factor })),
      y: Axis(label: "", categories: machines.map(\.name) + ["all machines"]),
      layers: [
        Layer("margin", .muted, .stripe(-metric.margin * factor...metric.margin * factor)),
        Layer(nil, .muted, .vertical(0)),
        Layer("a machine", .primary, .intervals(rows)),
        Layer("all machines", Layer.Role(metric.verdict, other: .candidate), .intervals([all])),
      ])
  }
}
