internal import PerfModel

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
    return counts.enumerated().filter { $0.element > 0 }.map { bin, number in
      Layer.Point(
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
}
