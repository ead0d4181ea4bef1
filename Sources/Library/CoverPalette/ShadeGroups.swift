internal import CoverCache

/// The shades of a picture, divided into groups around their medians.
///
/// Medians minimise the mean distance from a pixel to the nearest colour, which means would not, and
/// shades between two colours hardly move them. The first centres come from splitting the shades along
/// their longest axis, so that they change little with noise and scale.
///
/// Sources: X. Wu, "Color quantization by dynamic programming and principal analysis", ACM
/// Transactions on Graphics 11(4), 1992, doi:10.1145/146443.146475 (the splits); E. Weiszfeld, "Sur le
/// point pour lequel la somme des distances de n points donnés est minimum", Tohoku Mathematical
/// Journal 43, 1937 (the medians).
struct ShadeGroups {
  private let shades: [Shade]
  private var centres: [Vector]

  private typealias Vector = SIMD3<Double>

  /// The number of steps that move the first centres to medians, and the centres after a removal.
  private static let steps = 8
  /// The least distance in a weight, so that a shade at the centre does not hold it there.
  private static let leastDistance = 0.01
  /// The distance beyond which a shade does not add to the presence of a colour.
  private static let reach = 0.12
  /// The share of a group's weight from which a single shade is its colour.
  private static let mostOfWeight = 0.9
  /// The share of the pixels from which a shade is common.
  private static let leastShare = 0.001
  /// The distance beyond which the middle of a group may be a colour that the picture does not have.
  private static let foreign = 0.03

  /// The smallest presence of a group, a two-hundredth; smaller groups are edges and noise.
  private static let leastPresence = 0.005
  /// The largest presence of a group that is checked for being a blend.
  private static let mostBlended = 0.02
  /// The largest distance of a blend from the line between two colours, in levels of 255.
  private static let blendWidth = 16.0

  /// Divides peaks into at most `count` groups.
  ///
  /// - Complexity: O(peaks x groups) time.
  init(of peaks: [ColorPeak], count: Int) {
    shades = peaks.map { Shade(of: $0) }
    centres = ShadePart.split(shades, count: count).map(\.mean)
    moveToMedians()
    let all = groups
    let kept = all.indices.filter { !isBorder(all[$0], of: all) }
    if kept.count < all.count { keep(kept) }
  }

  /// The groups in the order of the splits.
  var groups: [ColorGroup] {
    let nearest = shades.map { nearestCentre(to: $0.place) }
    return centres.indices.map { index in
      let members = zip(shades, nearest).filter { $1.index == index }
        .map { (shade: $0, distance: $1.distance) }
      let colour = Self.middle(of: members, otherwise: shades[0].colour).colour
      return ColorGroup(
        colour: colour, lab: OKLab(colour), presence: presence(around: centres[index]))
    }
  }

  /// Keeps only some groups, whose centres move to the medians of all shades.
  mutating func keep(_ kept: [Int]) {
    centres = kept.map { centres[$0] }
    moveToMedians()
  }

  // MARK: - Borders

  /// Returns whether a group has only the pixels on the border between two colours.
  ///
  /// Their number depends on the scale of the picture, and they are not perceived as a colour of it.
  private func isBorder(_ group: ColorGroup, of groups: [ColorGroup]) -> Bool {
    guard group.presence >= Self.leastPresence else { return true }
    guard group.presence < Self.mostBlended else { return false }
    let larger = groups.filter { $0.presence > 2 * group.presence }.map(\.colour.vector)
    return larger.indices.contains { one in
      larger[..<one].contains { other in
        Self.distance(of: group.colour.vector, toLineFrom: larger[one], to: other) < Self.blendWidth
      }
    }
  }

  private static func distance(
    of vector: Vector, toLineFrom start: Vector, to end: Vector
  ) -> Double {
    let line = end - start
    let length = (line * line).sum()
    guard length > 0 else { return .infinity }
    let position = ((vector - start) * line).sum() / length
    guard (0...1).contains(position) else { return .infinity }
    let offset = vector - start - line * position
    return (offset * offset).sum().squareRoot()
  }

  // MARK: - Medians

  private mutating func moveToMedians() {
    guard !centres.isEmpty else { return }
    for _ in 0..<Self.steps {
      var sums = [Vector](repeating: .zero, count: centres.count)
      var weights = [Double](repeating: 0, count: centres.count)
      for shade in shades {
        let (index, distance) = nearestCentre(to: shade.place)
        let weight = shade.share / max(distance, Self.leastDistance)
        sums[index] += shade.place * weight
        weights[index] += weight
      }
      for index in centres.indices where weights[index] > 0 {
        centres[index] = sums[index] / weights[index]
      }
    }
  }

  private func nearestCentre(to place: Vector) -> (index: Int, distance: Double) {
    var best = (index: 0, square: Double.infinity)
    for index in centres.indices {
      let offset = place - centres[index]
      let square = (offset * offset).sum()
      if square < best.square { best = (index, square) }
    }
    return (best.index, best.square.squareRoot())
  }

  /// Returns the sum of the shares, weighted by the Epanechnikov kernel, so that it does not jump when
  /// a shade passes from one group to another.
  private func presence(around centre: Vector) -> Double {
    shades.reduce(0) { sum, shade in
      let offset = shade.place - centre
      return sum + shade.share * max(0, 1 - (offset * offset).sum() / (Self.reach * Self.reach))
    }
  }

  /// Returns the median colour of the members of a group.
  ///
  /// If one shade has nearly all the weight, or if no common shade is near the median, the result is
  /// the nearest common shade: a mixture might not occur in the picture.
  private static func middle(
    of members: [(shade: Shade, distance: Double)], otherwise fallback: Vector
  ) -> Vector {
    let common = members.filter { $0.shade.share > leastShare }
    let nearest = (common.isEmpty ? members : common).min { $0.distance < $1.distance }
    guard let nearest else { return fallback }
    var sum = Vector.zero
    var weights = 0.0
    for (shade, distance) in members {
      let weight = shade.share / max(distance, leastDistance)
      sum += shade.colour * weight
      weights += weight
    }
    let own = nearest.shade.share / max(nearest.distance, leastDistance)
    let isMixture = nearest.distance < foreign && own < weights * mostOfWeight
    return isMixture ? sum / weights : nearest.shade.colour
  }
}
