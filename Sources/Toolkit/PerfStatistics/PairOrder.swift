/// The random order in which the launches of a pair are made.
///
/// What comes first meets another machine than what comes last: caches, clocks, other programs. A
/// random order makes that noise in place of a difference, and a seeded one can be made again.
public struct PairOrder: Hashable, Sendable {
  private let seed: UInt64

  /// Creates the order of a comparison.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// Returns the order of one pair.
  ///
  /// - Parameters:
  ///   - pair: Its number, from 0.
  ///   - launches: How many launches each side has in it.
  /// - Returns: For each launch whether it is one of the candidate; as many true as false.
  public func order(ofPair pair: Int, launches: Int) -> [Bool] {
    // Neighbouring seeds give unlike numbers: the generator mixes them.
    var generator = SeededGenerator(seed: seed &+ UInt64(pair) &* 0x9E37_79B9_7F4A_7C15)
    let sides = [Bool](repeating: false, count: launches) + [Bool](repeating: true, count: launches)
    return sides.shuffled(using: &generator)
  }
}
