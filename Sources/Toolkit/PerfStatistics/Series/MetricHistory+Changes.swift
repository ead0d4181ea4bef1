internal import Glibc
internal import PerfModel

extension MetricHistory {
  /// Finds the changes of a series, and says how large they are.
  static func changes(
    _ points: [Point], _ definition: MetricDefinition, order: [String]
  ) -> [Change] {
    let values = points.map(\.value)
    guard values.count >= pointsNeeded, let found = try? ChangePoints().find(in: values) else {
      return []
    }
    let places = Dictionary(zip(order, order.indices)) { first, _ in first }
    let bounds = [0] + found.map(\.index) + [values.count]
    return found.enumerated().compactMap { index, point in
      let before = Array(values[bounds[index]..<point.index])
      let after = Array(values[point.index..<bounds[index + 2]])
      guard let size = size(from: before, to: after, definition.scale) else { return nil }
      let ends = [points[point.index - 1], points[point.index]].map { end in
        end.commit.flatMap { places[$0] }
      }
      return Change(
        index: point.index, before: point.before, after: point.after, size: size, p: point.p,
        verdict: verdict(size.value, definition.direction),
        unmeasured: ends[0].flatMap { start in ends[1].map { max($0 - start - 1, 0) } })
    }
  }

  /// Hodges and Lehmann's shift, of ratios on their logarithms.
  private static func size(
    from before: [Double], to after: [Double], _ scale: MetricScale
  ) -> IntervalEstimate? {
    guard scale == .ratio else { return try? HodgesLehmann.shift(from: before, to: after) }
    let shift = try? HodgesLehmann.shift(from: before.map { log($0) }, to: after.map { log($0) })
    return shift.map { shift in
      IntervalEstimate(
        value: expm1(shift.value), low: shift.low.map { expm1($0) },
        high: shift.high.map { expm1($0) }, confidence: shift.confidence,
        coverage: shift.coverage, method: shift.method, valuesNeeded: shift.valuesNeeded)
    }
  }

  private static func verdict(_ size: Double, _ direction: Direction) -> ComparisonVerdict? {
    switch direction {
    case .lower: size > 0 ? .regressed : .improved
    case .higher: size < 0 ? .regressed : .improved
    case .neutral: nil
    }
  }
}
