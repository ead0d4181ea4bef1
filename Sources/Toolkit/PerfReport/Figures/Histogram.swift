internal import PerfModel

/// Empirical distributions for figures.
enum Histogram {
  /// Returns the percentage of values in each of `count` equal bins; the last one includes values
  /// beyond the range.
  static func bars(
    _ values: [Double], in range: ClosedRange<Double>, count: Int
  ) -> [Layer.Point] {
    let width = (range.upperBound - range.lowerBound) / Double(count)
    var counts = Array(repeating: 0, count: count)
    for value in values {
      let bin = Int(nearest: ((value - range.lowerBound) / width).rounded(.towardZero))
      counts[min(max(bin, 0), count - 1)] += 1
    }
    return counts.enumerated().compactMap { bin, number in
      number == 0
        ? nil
        : Layer.Point(
          range.lowerBound + Double(bin) * width, Double(number) / Double(values.count) * 100)
    }
  }

  /// Returns the cumulative distribution of ascending values in percent, with about 400 points.
  static func cumulative(_ sorted: [Double]) -> [Layer.Point] {
    let step = max(1, sorted.count / 400)
    var points = stride(from: 0, to: sorted.count, by: step).map { index in
      Layer.Point(sorted[index], Double(index + 1) / Double(sorted.count) * 100)
    }
    if let last = sorted.last { points.append(Layer.Point(last, 100)) }
    return points
  }

  /// Returns the quantile (type 7) of ascending values; nil without values.
  static func quantile(_ sorted: [Double], _ probability: Double) -> Double? {
    guard !sorted.isEmpty else { return nil }
    let position = Double(sorted.count - 1) * probability
    let lower = Int(position)
    let upper = min(lower + 1, sorted.count - 1)
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
  }
}
