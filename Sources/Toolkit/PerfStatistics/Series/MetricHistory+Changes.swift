internal import PerfModel

extension MetricHistory {
  /// Finds the changes of a series and estimates their sizes.
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

  /// Returns the Hodges-Lehmann shift, of logarithms on the ratio scale.
  private static func size(
    from before: [Double], to after: [Double], _ scale: MetricScale
  ) -> IntervalEstimate? {
    let shift = try? HodgesLehmann.shift(
      from: before.map(scale.position), to: after.map(scale.position))
    return shift?.mapped(scale.change)
  }

  private static func verdict(_ size: Double, _ direction: Direction) -> ComparisonVerdict? {
    switch direction {
    case .lower: size > 0 ? .regressed : .improved
    case .higher: size < 0 ? .regressed : .improved
    case .neutral: nil
    }
  }
}
