internal import Glibc

/// Whether the launches of two sides are distributed differently, when they were made in blocks.
///
/// The minimum of a block hides what hits only some of its launches. So all launches are compared by
/// Kolmogorov and Smirnov's distance, and what it is worth without a change is found by exchanging the
/// sides of whole blocks: launches of one block share the state of the machine.
enum DistributionChange {
  /// A p-value of at most this says that the distribution changed.
  static let level = 0.001
  /// Up to so many blocks all exchanges are counted.
  static let exactLimit = 13
  /// How many random ones above; the smallest p-value is one by this plus one.
  static let permutations = 4999

  /// Returns the p-value of "no change by more than the tolerance".
  ///
  /// The distance is the largest difference of the distribution functions when the candidate is moved
  /// towards the base by the tolerance: a change too small to act on is none.
  ///
  /// - Parameters:
  ///   - blocks: The launches of both sides, block by block.
  ///   - tolerance: In the unit of the values, not negative.
  ///   - seed: Of the exchanges.
  /// - Returns: A probability; when it is far above `level` only a rough one.
  /// - Complexity: O(*N* log *N*) time for *N* launches, and O(*N*) for each exchange.
  /// - Note: Besag and Clifford 1991, doi:10.1093/biomet/78.2.301 (why it may stop early).
  static func p(
    _ blocks: [(base: [Double], candidate: [Double])], tolerance: Double, seed: UInt64
  ) -> Double {
    let sample = Sample(blocks, tolerance: tolerance)
    let observed = sample.distance([Bool](repeating: false, count: blocks.count))
    guard observed > 0 else { return 1 }
    // Sums of the same steps in another order differ in their last bits.
    let limit = observed - 1e-9
    return blocks.count <= exactLimit
      ? counted(sample, blocks.count, limit)
      : simulated(sample, blocks.count, limit, SeededGenerator(seed: seed))
  }

  /// Exchanging all blocks changes nothing, so the last one stays.
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

  /// Values in the order in which the distribution functions step.
  private struct Sample {
    /// A value with the place where it steps when it belongs to the lower side, or to the upper one.
    struct Step {
      let position: Double
      /// Whether it steps here as a value of the side that is held to lie lower.
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
            steps.append(
              Step(
                position: value, isLower: true, block: block, isCandidate: isCandidate,
                weight: weight))
            steps.append(
              Step(
                position: value - tolerance, isLower: false, block: block,
                isCandidate: isCandidate, weight: weight))
          }
        }
      }
      // At one place the upper side steps first, so that no difference shows that is none.
      self.steps = steps.sorted {
        ($0.position, $0.isLower ? 1 : 0) < ($1.position, $1.isLower ? 1 : 0)
      }
    }

    /// Returns the distance when the sides of some blocks are exchanged.
    func distance(_ exchanged: [Bool]) -> Double {
      // Base lower than candidate, and candidate lower than base.
      var (forward, backward, largest) = (0.0, 0.0, 0.0)
      for step in steps {
        if (step.isCandidate != exchanged[step.block]) != step.isLower {
          // The base as the lower side, or the candidate as the upper one.
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
