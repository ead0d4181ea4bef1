internal import Glibc
internal import PerfModel

/// The pairs of a comparison, grouped by the layout of the linked programs.
///
/// All pairs of a layout share its effect on the times, so they are no independent evidence about the
/// change. The pairs of a layout therefore become one number, and the layouts are the units of all tests.
/// Without a change, the two links of a layout are equally likely to be the candidate, whatever the
/// effect of layouts: tests that flip the sides of whole layouts are exact. If each pair has its own
/// layout, or nothing was linked anew, the units are the pairs.
///
/// - Note: Curtsinger and Berger 2013, doi:10.1145/2451116.2451141 (random layouts); Kalibera and Jones
///   2013, doi:10.1145/2464157.2464160 (levels of repetition and their variances).
struct LayoutGroups {
  /// The indices of the pairs of each layout.
  private let members: [[Int]]

  /// Groups pairs by the number of their layout.
  init(_ layouts: [Int]) {
    members = Dictionary(grouping: layouts.indices) { layouts[$0] }
      .sorted { $0.key < $1.key }.map(\.value)
  }

  /// Returns one number for each layout.
  ///
  /// - Parameters:
  ///   - values: The numbers of the pairs.
  ///   - center: Returns the centre of several numbers; it must change its sign with theirs.
  /// - Returns: The numbers in the order of the layouts.
  func units(_ values: [Double], center: ([Double]) -> Double) -> [Double] {
    members.map { $0.count == 1 ? values[$0[0]] : center($0.map { values[$0] }) }
  }

  /// Returns the mean of each layout.
  func means(_ values: [Double]) -> [Double] { units(values) { Moments($0).mean } }

  /// Returns the Hodges-Lehmann estimate of each layout, which a disturbed pair hardly moves.
  func centers(_ values: [Double]) -> [Double] {
    units(values) { (try? WalshAverages($0).estimate) ?? 0 }
  }

  /// Returns the sum of each layout.
  func sums(_ values: [Int]) -> [Int] { members.map { $0.reduce(0) { $0 + values[$1] } } }

  // MARK: - Variance

  /// The variance of the pairs' differences, divided into its two parts.
  struct Variance {
    /// The part that all pairs of a layout share.
    let layout: Double
    /// The part that differs from pair to pair.
    let pair: Double
    /// The part of the estimate's variance that more pairs of the same layouts do not reduce, 0...1.
    let fixedShare: Double
  }

  /// Estimates the variance between layouts and the variance within them.
  ///
  /// The variance within is that of the launches of a pair's side, or, with one launch per side, of the
  /// pairs of a layout. Launches and pairs far from the others are left out: they are the machine's.
  ///
  /// - Parameter pairs: The positions of the launches of both sides of each pair.
  /// - Returns: The variances; nil for a single layout, or if no layout and no side has two values.
  /// - Note: Searle, Casella and McCulloch 1992, Variance Components, section 3.6 (the estimator of the
  ///   analysis of variance with unequal groups).
  func variance(_ pairs: [(base: [Double], candidate: [Double])]) -> Variance? {
    let distances = pairs.flatMap { Self.distances($0.base) + Self.distances($0.candidate) }
    let reach = CoreSignedRank.radius(of: distances)
    var (squares, degrees, parts) = (0.0, 0.0, 0.0)
    let differences = pairs.map { pair -> Double in
      let sides = [pair.base, pair.candidate].map { side in
        zip(side, Self.distances(side)).filter { $0.1 <= reach }.map(\.0)
      }
      for side in sides where !side.isEmpty {
        squares += Moments(side).squares
        degrees += Double(side.count - 1)
        parts += 1 / Double(side.count) / Double(pairs.count)
      }
      return sides.contains(where: \.isEmpty)
        ? .nan : Moments(sides[1]).mean - Moments(sides[0]).mean
    }
    let known = differences.filter(\.isFinite).sorted()
    guard !known.isEmpty else { return nil }
    let middle = Quantiles.ofSorted(known, 0.5)
    let limit = CoreSignedRank.radius(of: known.map { ($0 - middle).magnitude })
    let groups = members.map {
      $0.map { differences[$0] }.filter { ($0 - middle).magnitude <= limit }
    }
    .filter { !$0.isEmpty }
    let (count, levels) = (Double(groups.reduce(0) { $0 + $1.count }), Double(groups.count))
    let moments = groups.map { Moments($0) }
    guard levels > 1, degrees > 0 || count > levels else { return nil }
    let within =
      degrees > 0
      ? squares / degrees * parts : moments.reduce(0) { $0 + $1.squares } / (count - levels)
    let mean = Moments(groups.flatMap(\.self)).mean
    let sizes = groups.map { Double($0.count) }
    let between = zip(sizes, moments).reduce(0) { $0 + $1.0 * pow($1.1.mean - mean, 2) }
    let size = (count - sizes.reduce(0) { $0 + $1 * $1 } / count) / (levels - 1)
    let layout = max(0, (between / (levels - 1) - within) / size)
    guard layout + within > 0 else { return nil }
    return Variance(
      layout: layout, pair: within,
      fixedShare: layout / levels / (layout / levels + within / count))
  }

  /// Returns the distances of values from their median.
  private static func distances(_ values: [Double]) -> [Double] {
    let middle = Quantiles.ofSorted(values.sorted(), 0.5)
    return values.map { ($0 - middle).magnitude }
  }
}
