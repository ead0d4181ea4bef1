internal import CoverCache

/// The shades of a picture, divided into groups around their medians.
///
/// Medians minimise the mean distance from a pixel to the nearest colour, which means would not, and
/// shades between two colours hardly move them. The first centres come from splitting the shades along
/// their longest axis. Then one group is split and another one dissolved as long as that decreases the
/// distance: a picture and its thumbnail reach the same minimum from slightly different first centres.
///
/// Sources: X. Wu, "Color quantization by dynamic programming and principal analysis", ACM
/// Transactions on Graphics 11(4), 1992, doi:10.1145/146443.146475 (the splits); E. Weiszfeld, "Sur le
/// point pour lequel la somme des distances de n points donnés est minimum", Tohoku Mathematical
/// Journal 43, 1937 (the medians); P. Fränti, "Efficiency of random swap clustering", Journal of Big
/// Data 5:13, 2018, doi:10.1186/s40537-018-0122-y (the exchanges).
struct ShadeGroups {
  private let shades: [Shade]
  private var centres: [Vector]

  private typealias Vector = SIMD3<Double>

  /// The number of steps that move centres to medians.
  private static let steps = 8
  /// The largest number of exchanges; photographs need two or fewer.
  private static let mostExchanges = 6
  /// The number of groups that are tried on each side of an exchange.
  private static let mostTried = 3
  /// The least share of the distance that an exchange must save.
  private static let leastSaving = 1e-4
  /// The least divisor of a weight: a shade at the centre, divided by 0, would keep the centre there.
  private static let leastDistance = 0.01
  /// The distance beyond which a shade does not add to the presence of a colour.
  private static let reach = 0.08
  /// The share of a group's weight from which a single shade is its colour.
  private static let mostOfWeight = 0.9
  /// The share of the pixels from which a shade is common.
  private static let leastShare = 0.001
  /// The distance beyond which the middle of a group may be a colour that the picture does not have:
  /// two just visible differences.
  private static let foreign = 0.04

  /// The smallest share of a group, a two-hundredth; smaller groups are edges and noise.
  private static let leastOfGroup = 0.005
  /// The largest share of a group that is checked for being a blend.
  private static let mostBlended = 0.02
  /// The largest distance of a blend from the line between two colours, in levels of 255.
  private static let blendWidth = 16.0

  /// Divides peaks into at most `count` groups.
  ///
  /// - Complexity: O(peaks x groups) time.
  init(of peaks: [ColorPeak], count: Int) {
    shades = peaks.map { Shade(of: $0) }
    centres = ShadePart.split(shades, count: count).map(\.mean)
    centres = medians(from: centres, steps: Self.steps)
    exchangeGroups()
    let all = groups
    let kept = all.indices.filter { !isBorder(all[$0], of: all) }
    guard kept.count < all.count else { return }
    centres = medians(from: kept.map { centres[$0] }, steps: Self.steps)
  }

  /// The groups in the order of the splits.
  var groups: [ColorGroup] {
    let nearest = shades.map { Self.nearest(of: centres, to: $0.place) }
    return centres.indices.map { index in
      let members = zip(shades, nearest).filter { $1.index == index }
        .map { (shade: $0, distance: $1.distance) }
      let colour = Self.middle(of: members, otherwise: shades[0].colour).colour
      return ColorGroup(
        colour: colour, lab: OKLab(colour), share: members.reduce(0) { $0 + $1.shade.share },
        presence: presence(around: centres[index]))
    }
  }

  // MARK: - Borders

  /// Returns whether a group has only the pixels on the border between two colours.
  ///
  /// Their number depends on the scale of the picture, and they are not perceived as a colour of it.
  private func isBorder(_ group: ColorGroup, of groups: [ColorGroup]) -> Bool {
    guard group.share >= Self.leastOfGroup else { return true }
    guard group.share < Self.mostBlended else { return false }
    let larger = groups.filter { $0.share > 2 * group.share }.map(\.colour.vector)
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

  /// Returns centres that are moved towards the medians of their groups.
  private func medians(from first: [Vector], steps: Int) -> [Vector] {
    var centres = first
    for _ in 0..<steps {
      var sums = [Vector](repeating: .zero, count: centres.count)
      var weights = [Double](repeating: 0, count: centres.count)
      for shade in shades {
        let (index, distance) = Self.nearest(of: centres, to: shade.place)
        let weight = shade.share / max(distance, Self.leastDistance)
        sums[index] += shade.place * weight
        weights[index] += weight
      }
      for index in centres.indices where weights[index] > 0 {
        centres[index] = sums[index] / weights[index]
      }
    }
    return centres
  }

  /// Returns the mean distance from a pixel to the nearest centre.
  private func distance(to centres: [Vector]) -> Double {
    shades.reduce(0) { $0 + $1.share * Self.nearest(of: centres, to: $1.place).distance }
  }

  /// Splits one group and dissolves another one as long as the distance decreases.
  private mutating func exchangeGroups() {
    var least = distance(to: centres)
    for _ in 0..<Self.mostExchanges {
      let trials = exchanges.map { medians(from: $0, steps: Self.steps) }
        .map { (centres: $0, distance: distance(to: $0)) }
      guard let best = trials.min(by: { $0.distance < $1.distance }) else { return }
      let moved = medians(from: best.centres, steps: Self.steps)
      let reached = distance(to: moved)
      guard reached < least * (1 - Self.leastSaving) else { return }
      (centres, least) = (moved, reached)
    }
  }

  /// The centres after each exchange of a group that is far from its centre for one that would be near
  /// another centre.
  private var exchanges: [[Vector]] {
    var groups = centres.map { _ in (members: [Shade](), distance: 0.0, detour: 0.0) }
    for shade in shades {
      let (index, distance) = Self.nearest(of: centres, to: shade.place)
      groups[index].members.append(shade)
      groups[index].distance += shade.share * distance
      groups[index].detour += shade.share * secondDistance(of: shade, except: index)
    }
    let widest = groups.indices.sorted { groups[$0].distance > groups[$1].distance }
      .prefix(Self.mostTried)
    let closest = groups.indices.sorted { one, other in
      groups[one].detour - groups[one].distance < groups[other].detour - groups[other].distance
    }.prefix(Self.mostTried)
    return widest.flatMap { split in
      guard !groups[split].members.isEmpty, let halves = ShadePart(groups[split].members).halves
      else { return [[Vector]]() }
      return closest.filter { $0 != split }.map { dissolved in
        var result = centres
        result[split] = halves.0.mean
        result[dissolved] = halves.1.mean
        return result
      }
    }
  }

  /// Returns the distance of a shade to the nearest centre of another group.
  private func secondDistance(of shade: Shade, except index: Int) -> Double {
    centres.indices.reduce(Double.infinity) { least, other in
      guard other != index else { return least }
      let offset = shade.place - centres[other]
      return min(least, (offset * offset).sum())
    }.squareRoot()
  }

  private static func nearest(
    of centres: [Vector], to place: Vector
  ) -> (index: Int, distance: Double) {
    var best = (index: 0, square: Double.infinity)
    for index in centres.indices {
      let offset = place - centres[index]
      let square = (offset * offset).sum()
      if square < best.square { best = (index, square) }
    }
    return (best.index, best.square.squareRoot())
  }

  /// Returns the sum of the shares, weighted by the triweight kernel.
  ///
  /// The sum does not jump when a shade passes from one group to another, and the smooth kernel hardly
  /// changes when the centre moves a little.
  private func presence(around centre: Vector) -> Double {
    shades.reduce(0) { sum, shade in
      let offset = shade.place - centre
      let nearness = max(0, 1 - (offset * offset).sum() / (Self.reach * Self.reach))
      return sum + shade.share * nearness * nearness * nearness
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
