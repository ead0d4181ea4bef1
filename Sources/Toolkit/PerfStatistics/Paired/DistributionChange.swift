internal import Glibc

/// A test whether the launches of two sides, measured in pairs, have different distributions.
///
/// The minimum of a pair's launches hides effects that occur only in some launches. So all launches
/// are compared by the Kolmogorov-Smirnov distance. Its null distribution is found by exchanging
/// the sides of whole pairs, because the launches of a pair share the state of the machine.
enum DistributionChange {
  /// The p-value up to which the distribution counts as changed.
  static let level = 0.001
  /// The number of pairs up to which all exchanges are enumerated.
  static let exactLimit = 13
  /// The number of random exchanges above the limit; the smallest p-value is 1 / 5000.
  static let permutations = 4999

  /// Returns the p-value of "no change by more than the tolerance".
  ///
  /// The distance is the largest difference between the distribution functions after the candidate
  /// was moved towards the base by the tolerance, in the unit of the values: smaller changes are
  /// not worth acting on. The p-value is only approximate if it is far above `level`.
  ///
  /// - Complexity: O(*N* log *N*) time for *N* launches, and O(*N*) for each exchange.
  /// - Note: Besag and Clifford 1991, doi:10.1093/biomet/78.2.301 (early stopping).
  static func p(
    _ blocks: [(base: [Double], candidate: [Double])], tolerance: Double, seed: UInt64
  ) -> Double {
    let sample = Sample(blocks, tolerance: tolerance)
    let observed = sample.distance([Bool](repeating: false, count: blocks.count))
    guard observed > 0 else { return 1 }
    // Rounding differs with the order of the steps.
    let limit = observed - 1e-9
    return blocks.count <= exactLimit
      ? counted(sample, blocks.count, limit)
      : simulated(sample, blocks.count, limit, SeededGenerator(seed: seed))
  }

  /// Enumerates the exchanges; exchanging all pairs changes nothing, so the last pair stays.
  private static func counted(_ sample: Sample, _ blocks: Int, _ limit: Double) -> Double {
    let patterns = 1 << (blocks - 1)
    let atLeast = (0..<patterns).count { pattern in
      sample.distance((0..<blocks).map { pattern >> $0 & 1 == 1 }) >= limit
    }
    return Double(atLeast) / Double(patterns)
  }

  private static func simulated(
    _ sample: Sample, _ blocks: Int, _ limit: Double, _ generator: SeededGenerator
  ) -> Double {
    let enough = Int(Double(permutations + 1) * level) * 4
    var generator = generator
    var exchanged = [Bool](repeating: false, count: blocks)
    var atLeast = 0
    for round in 1...permutations {
      for block in exchanged.indices { exchanged[block] = generator.next() & 1 == 1 }
      if sample.distance(exchanged) >= limit { atLeast += 1 }
      if atLeast == enough { return Double(atLeast) / Double(round) }
    }
    return Double(atLeast + 1) / Double(permutations + 1)
  }

  /// The values of both sides in the order of their steps in the distribution functions.
  private struct Sample {
    /// A step of a distribution function at a value, with its side assumed lower or upper.
    struct Step {
      let position: Double
      /// Whether this is the step as a value of the lower side.
      let isLower: Bool
      let block: Int
      let isCandidate: Bool
      let weight: Double
    }

    private let steps: [Step]

    init(_ blocks: [(base: [Double], candidate: [Double])], tolerance: Double) {
      var steps: [Step] = []
      for (block, sides) in blocks.enumerated() {
        for (values, isCandidate) in [(sides.base, false), (sides.candidate, true)] {
          let weight = 1 / Double(values.count * blocks.count)
          for value in values {
            for (position, isLower) in [(value, true), (value - tolerance, false)] {
              steps.append(
                Step(
                  position: position, isLower: isLower, block: block, isCandidate: isCandidate,
                  weight: weight))
            }
          }
        }
      }
      // At equal positions the upper side steps first, so that no spurious difference appears.
      self.steps = steps.sorted {
        ($0.position, $0.isLower ? 1 : 0) < ($1.position, $1.isLower ? 1 : 0)
      }
    }

    /// Returns the distance after exchanging the sides of some pairs.
    func distance(_ exchanged: [Bool]) -> Double {
      // The differences with the base as the lower side, and with the candidate as the lower side.
      var (forward, backward, largest) = (0.0, 0.0, 0.0)
      for step in steps {
        if (step.isCandidate != exchanged[step.block]) != step.isLower {
          // A step of the base as the lower side, or of the candidate as the upper side.
          forward += step.isLower ? step.weight : -step.weight
          largest = max(largest, forward)
        } else {
          backward += step.isLower ? step.weight : -step.weight
          largest = max(largest, backward)
        }
      }
      return largest
    }
  }
}
