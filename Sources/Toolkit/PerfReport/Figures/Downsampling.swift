internal import PerfModel

/// Reductions of points that leave the drawing unchanged.
enum Downsampling {
  /// Returns the highest point of each of `buckets` equal parts of a range, in order.
  ///
  /// This is for bars from zero: the highest bar of a pixel hides the others.
  static func maxima(
    _ points: [Layer.Point], in range: ClosedRange<Double>, buckets: Int
  ) -> [Layer.Point] {
    guard points.count > buckets else { return points }
    return byBucket(points, in: range, buckets: buckets).compactMap { $0.max { $0.y < $1.y } }
  }

  /// Returns the lowest and the highest point of each of `buckets` equal parts, in order.
  ///
  /// This is for lines: every spike is kept.
  static func extremes(
    _ points: [Layer.Point], in range: ClosedRange<Double>, buckets: Int
  ) -> [Layer.Point] {
    guard points.count > 2 * buckets else { return points }
    return byBucket(points, in: range, buckets: buckets).flatMap { bucket -> [Layer.Point] in
      guard let low = bucket.min(by: { $0.y < $1.y }), let high = bucket.max(by: { $0.y < $1.y })
      else { return [] }
      if low == high { return [low] }
      return low.x <= high.x ? [low, high] : [high, low]
    }
  }

  private static func byBucket(
    _ points: [Layer.Point], in range: ClosedRange<Double>, buckets: Int
  ) -> [[Layer.Point]] {
    let span = range.upperBound - range.lowerBound
    var result = Array(repeating: [Layer.Point](), count: buckets)
    for point in points {
      let position = span > 0 ? (point.x - range.lowerBound) / span : 0
      let bucket = Int(nearest: (position * Double(buckets)).rounded(.towardZero))
      result[min(max(bucket, 0), buckets - 1)].append(point)
    }
    return result
  }
}
