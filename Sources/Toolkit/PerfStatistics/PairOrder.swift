@_exported public import PerfProtocol

/// The random order of the launches within a pair.
///
/// The state of the machine (caches, clocks, other programs) differs between the first and the last
/// launch. A random order turns this into noise instead of a bias, and a seeded one is
/// reproducible.
public struct PairOrder: Hashable, Sendable {
  private let seed: UInt64

  /// Creates the order of a comparison.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// Returns for each launch of a pair whether it belongs to the candidate; as many true as false.
  public func order(ofPair pair: Int, launches: Int) -> [Bool] {
    // The generator mixes its seed, so neighbouring seeds give unrelated orders.
    var generator = SeededGenerator(seed: seed &+ UInt64(pair) &* 0x9E37_79B9_7F4A_7C15)
    let sides = [Bool](repeating: false, count: launches) + [Bool](repeating: true, count: launches)
    return sides.shuffled(using: &generator)
  }
}
