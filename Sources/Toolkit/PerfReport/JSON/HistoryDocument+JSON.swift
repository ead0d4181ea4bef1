internal import PerfModel
internal import PerfStatistics

extension HistoryDocument {
  /// The series in the format `perfkit.history/1`.
  ///
  /// `size`, `low` and `high` of a change are in the metric's scale, as in a comparison.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.history/1",
      "scenario": .string(scenario),
      "variant": .string(variant),
      "metric": .string(history.definition.name),
      "unit": .string(history.definition.baseUnit.symbol),
      "direction": .string(history.definition.direction.rawValue),
      "scale": .string(history.definition.scale.rawValue),
      "order": .string(isInCommitOrder ? "commits" : "time"),
      "points": .array(history.points.map(pointJSON)),
      "changes": .array(history.changes.map(changeJSON)),
      "earlier": .int(history.earlier),
      "left_out": .array(
        history.omissions.map {
          .object(["runs": .int($0.count), "reason": .string($0.reason)])
        }),
      "sentence": .string(sentence),
    ])
  }

  private func pointJSON(_ point: MetricHistory.Point) -> JSONValue {
    .object([
      "commit": .optional(point.commit),
      "dirty": .bool(point.isDirty),
      "summary": .optional(point.commit.flatMap { summaries[$0] }),
      "started": .string(point.started.description),
      "runs": .array(point.runs.map { .string($0) }),
      "value": .number(point.value),
      "low": .optional(point.low),
      "high": .optional(point.high),
    ])
  }

  private func changeJSON(_ change: MetricHistory.Change) -> JSONValue {
    .object([
      "index": .int(change.index),
      "from": .optional(history.points[change.index - 1].commit),
      "to": .optional(history.points[change.index].commit),
      "unmeasured": .optional(change.unmeasured),
      "before": .number(change.before),
      "after": .number(change.after),
      "size": .number(change.size.value),
      "low": .optional(change.size.low),
      "high": .optional(change.size.high),
      "p": .number(change.p),
      "verdict": .optional(change.verdict?.rawValue),
    ])
  }
}
