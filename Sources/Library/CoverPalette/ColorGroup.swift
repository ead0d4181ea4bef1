internal import CoverCache

/// A group of similar peaks, treated as one colour.
///
/// Noise decides into which box of a cube a shade falls, so a palette chosen among boxes changes
/// with noise. Groups are stable: each is centred on the densest place in OKLab of the remaining
/// peaks, found by mean shift with the Epanechnikov kernel.
///
/// Source: D. Comaniciu, P. Meer, "Mean shift: a robust approach toward feature space analysis",
/// IEEE TPAMI 24(5), 2002, doi:10.1109/34.1000236.
struct ColorGroup {
  /// The mean colour of the peaks.
  let colour: RGBA
  /// The mean colour in OKLab.
  let lab: OKLab
  /// The share of all pixels, 0 to 1.
  let share: Double

  /// The radius of a group in OKLab; colours further away look different.
  static let radius = 0.15
  /// The smallest share of a group, a two-hundredth; smaller groups are edges and noise.
  private static let leastShare = 0.005
  private static let steps = 8
  /// The largest share of a group that is checked for being a blend.
  private static let mostBlended = 0.02
  /// The largest distance of a blend from the line between two colours, in levels of 255.
  private static let blendWidth = 16.0

  /// Groups peaks, the largest group first.
  ///
  /// - Complexity: O(*n*^2) time, *n* the number of peaks, at most 512 and usually 20 to 100.
  static func groups(of peaks: [ColorPeak]) -> [ColorGroup] {
    var points = peaks.map { Point(of: $0) }
    var groups: [ColorGroup] = []
    while !points.isEmpty {
      let masses = points.map { point in mass(of: points, around: point.place) }
      guard let largest = masses.max(), largest >= leastShare,
        let first = masses.firstIndex(of: largest)
      else { break }
      let middle = densestPlace(of: points, from: points[first].place)
      let border = points.partition { squaredDistance($0.place, middle) <= radius * radius }
      let members = points[border...]
      // Rounding could leave the densest place empty.
      guard !members.isEmpty else { break }
      groups.append(ColorGroup(members, around: middle))
      points.removeSubrange(border...)
    }
    groups.sort { $0.share > $1.share }
    return groups.filter { group in !group.isBlend(of: groups) }
  }

  /// Returns whether the group is a blend of two larger ones: the pixels on their border.
  ///
  /// Their number depends on the scale of the picture, and they are not perceived as a colour of
  /// the cover.
  private func isBlend(of groups: [ColorGroup]) -> Bool {
    guard share < ColorGroup.mostBlended else { return false }
    let larger = groups.filter { $0.share > 2 * share }
    return larger.indices.contains { first in
      larger[..<first].contains { other in
        distance(toLineFrom: larger[first].colour.vector, to: other.colour.vector)
          < ColorGroup.blendWidth
      }
    }
  }

  private func distance(toLineFrom start: SIMD3<Double>, to end: SIMD3<Double>) -> Double {
    let line = end - start
    let length = (line * line).sum()
    guard length > 0 else { return .infinity }
    let vector = colour.vector
    let position = ((vector - start) * line).sum() / length
    guard (0...1).contains(position) else { return .infinity }
    let offset = vector - start - line * position
    return (offset * offset).sum().squareRoot()
  }

  private struct Point {
    let place: SIMD3<Double>
    let colour: SIMD3<Double>
    let share: Double

    init(of peak: ColorPeak) {
      place = OKLab(peak.colour).place
      colour = peak.colour.vector
      share = peak.share
    }
  }

  /// Creates a group whose mean uses the kernel's weights, so that peaks near its border count
  /// little.
  private init(_ members: ArraySlice<Point>, around middle: SIMD3<Double>) {
    var sum = SIMD3<Double>.zero
    var weights = 0.0
    for member in members {
      let weight = member.share * ColorGroup.kernel(member.place, middle)
      sum += member.colour * weight
      weights += weight
    }
    let mean = weights > 0 ? sum / weights : members.first?.colour ?? .zero
    colour = RGBA(
      red: UInt8(mean.x.rounded()), green: UInt8(mean.y.rounded()), blue: UInt8(mean.z.rounded()))
    lab = OKLab(colour)
    share = members.reduce(0) { $0 + $1.share }
  }

  private static func densestPlace(
    of points: [Point], from start: SIMD3<Double>
  ) -> SIMD3<Double> {
    var place = start
    for _ in 0..<steps {
      var sum = SIMD3<Double>.zero
      var weights = 0.0
      for point in points where squaredDistance(point.place, place) < radius * radius {
        sum += point.place * point.share
        weights += point.share
      }
      guard weights > 0 else { return place }
      // The Epanechnikov kernel has a constant gradient, so the mean shift is a plain mean.
      let next = sum / weights
      if squaredDistance(next, place) < 1e-8 { return next }
      place = next
    }
    return place
  }

  private static func mass(of points: [Point], around place: SIMD3<Double>) -> Double {
    points.reduce(0) { $0 + $1.share * kernel($1.place, place) }
  }

  private static func kernel(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double {
    max(0, 1 - squaredDistance(one, other) / (radius * radius))
  }

  private static func squaredDistance(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double {
    let difference = one - other
    return (difference * difference).sum()
  }
}

extension RGBA {
  fileprivate var vector: SIMD3<Double> { SIMD3(Double(red), Double(green), Double(blue)) }
}

extension OKLab {
  fileprivate var place: SIMD3<Double> { SIMD3(lightness, greenRed, blueYellow) }
}
